def names(work, *args, on_step):
    from numba.core.event import install_recorder

    with install_recorder("numba:compile") as recorder:
        work(*args, on_step=on_step)
    return sorted(
        {
            str(e.data["dispatcher"].py_func.__qualname__) + str(e.data["args"])[:150]
            for _, e in recorder.buffer
        }
    )
