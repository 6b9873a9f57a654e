from tritontui.runner.process.footprint import available_bytes

MEMINFO = "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    8000 kB\n"


def machine(tmp_path, meminfo=MEMINFO, group="0::/user/one\n", limit=None, current="0\n"):
    proc, cgroup = tmp_path / "proc", tmp_path / "cgroup"
    (proc / "self").mkdir(parents=True)
    (proc / "self" / "cgroup").write_text(group)
    if meminfo:
        (proc / "meminfo").write_text(meminfo)
    if limit is not None:
        folder = cgroup / "user" / "one"
        folder.mkdir(parents=True)
        (folder / "memory.max").write_text(limit)
        (folder / "memory.current").write_text(current)
    return available_bytes(proc, cgroup)


def test_what_the_machine_has_left(tmp_path):
    assert machine(tmp_path) == 8000 * 1024


def test_a_container_may_have_less(tmp_path):
    assert machine(tmp_path, limit="3000000\n", current="1000000\n") == 2_000_000


def test_a_container_without_a_limit_has_what_the_machine_has(tmp_path):
    assert machine(tmp_path, limit="max\n") == 8000 * 1024


def test_where_nothing_says_so_nothing_is_limited(tmp_path):
    assert machine(tmp_path, meminfo=None) is None
