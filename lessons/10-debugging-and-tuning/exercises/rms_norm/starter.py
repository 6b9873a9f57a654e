# rms_norm(residual, x, weight, eps=1e-6)
#
#     residual[i] += x[i]
#     out[i] = residual[i] / sqrt(mean(residual[i] ** 2) + eps) * weight
#
# → residual, out
