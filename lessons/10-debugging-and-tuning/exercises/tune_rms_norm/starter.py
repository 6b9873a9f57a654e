# tune(configs, shapes, validate, once) → {shape: config}
#
#     validate(config)     → True, False; raises when it doesn't fit
#     once(config, shape)  → ms of one call; raises when it doesn't fit
