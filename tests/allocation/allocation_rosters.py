"""Random rosters: sizes 3 to 2,000, groups, sections, conflicts, staff, own numbers of reviews."""

from hypothesis import strategies as st


def _some(draw, values, share):
    """A column that is filled in about one line of `share`."""
    return draw(st.sampled_from(values)) if draw(st.integers(0, share)) == 0 else None


@st.composite
def rosters(draw, most=14, own_numbers=True):
    """Small rosters, where the rules pinch."""
    size = draw(st.integers(3, most))
    names = [f"s{number}" for number in range(size)]
    width = draw(st.integers(1, 4))
    columns = {"student": names}
    if draw(st.booleans()):
        columns["group"] = [f"g{number // width}" for number in range(size)]
    if draw(st.booleans()):
        columns["conflicts"] = [_some(draw, names, 2) for _ in names]
    if draw(st.booleans()):
        columns["role"] = ["student"] * 2 + [draw(st.sampled_from(["student", "staff"])) for _ in names[2:]]
    if own_numbers and draw(st.booleans()):
        columns["reviews"] = [_some(draw, ["0", "1", "2", "5"], 3) for _ in names]
    return columns


@st.composite
def large_rosters(draw):
    """Rosters of up to 2,000 students, in groups of up to seven, with a few conflicts each way."""
    size = draw(st.integers(30, 2000))
    width, step = draw(st.integers(1, 7)), draw(st.integers(8, 29))
    names = [f"s{number}" for number in range(size)]
    return {
        "student": names,
        "group": [f"g{number // width}" for number in range(size)],
        "conflicts": [f"{names[number - 1]};{names[(number + step) % size]}" for number in range(size)],
    }
