# add(x, y) → out
#
#     out[i] = x[i] + y[i]
