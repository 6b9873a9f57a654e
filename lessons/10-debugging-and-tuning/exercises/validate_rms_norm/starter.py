# validate(rms_norm) → True, False
#
#     residual, out = rms_norm(residual, x, weight, eps)
