"""A folder of one's own that is changed between two runs of one process."""

from own_folders import dummy_folder

from fedbounds.theory.language.catalogue import select
from fedbounds.verify.judge.proofs import seen_of
from fedbounds.verify.own.load import load
from fedbounds.verify.setups.steps import judged_on


def test_steps_are_held_against_the_runs_of_the_folder_as_it_is(tmp_path):
    folder = dummy_folder(tmp_path)
    (key,) = load(folder)
    assert select((key,))
    before = seen_of(key, ["(2)"])
    assert [on.setup.run.rounds for on in judged_on(key)] == [2]
    setups = tmp_path / "dummy" / "setups.py"
    setups.write_text(setups.read_text("utf-8").replace('"1/2"),), 2)', '"1/2"),), 10)'), "utf-8")
    assert load(folder) == (key,)
    assert [on.setup.run.rounds for on in judged_on(key)] == [10]
    assert before.keys() == seen_of(key, ["(2)"]).keys()
