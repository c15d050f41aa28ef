import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { GUARD } from './upgrade-guard.js';

/** A cluster of which the settings in etcd are `rules`, and of which the leader answers by `answers`. Time stands still. */
const STUBS = `
import json, os, sys, yaml
from types import SimpleNamespace as Some
HOME, NEW, FROM, TO, POSTGRES, NEW_BIN, port = "/17", "/17/patroni", "15", "17", [], "/bin", "5432"
LOSE = HOME + "/lose-writes"
me, conf = "db-2", {"postgresql": {"data_dir": NEW, "authentication": {"superuser": {"password": "x"}}}}
rules, baseline, written, lose, up = json.loads(sys.argv[1])
time = Some(sleep=lambda _: None)
def until(_, look): return look()
def ask(_): return {"loop_wait": 1}
def members(): return [{"name": "db-1", "host": "db-1", "port": 5432, "role": "leader"}]
def leader(of): return of[0]
def no_leader(): return "no leader"
def die(why): raise SystemExit(why)
def sub(words, **more):
    global rules
    if "show-config" in words: return Some(returncode=0, stdout=yaml.safe_dump(dict(postgresql=dict(pg_hba=rules))))
    if "edit-config" in words: rules = json.loads(more["input"])["postgresql"]["pg_hba"]; return Some(returncode=0)
    if not up: return Some(returncode=2, stderr="Connection refused")
    if "IS NOT NULL" in words[-1]: answer = "t" if lose else ""
    elif "pg_read_file" in words[-1]: answer = str(baseline)
    elif "datname" in words[-1]: answer = "postgres"
    else: answer = str(baseline + written)
    return Some(returncode=0, stdout=answer)
subprocess = Some(run=sub, DEVNULL=0, PIPE=1, STDOUT=2)
`;
const ENTRY = `
give_ = lambda rules: json.dumps({"postgresql": {"pg_hba": rules}})
for _ in "db-3", "db-2":
    try: keep_writes(give_(["members"]), give_(["members", "clients"])); print("goes")
    except SystemExit as why: print("stays: " + str(why).split(":")[0])
print(" and ".join(rules))
`;

/** What two members do, one after the other, and the rules after that. */
function play(rules: string[], { written = 0, lose = false, up = true } = {}): string[] {
  const source = `${STUBS}${GUARD}${ENTRY}`;
  const given = JSON.stringify([rules, 1000, written, lose, up]);
  return execFileSync('python3', ['-c', source, given], { encoding: 'utf8' }).trim().split('\n');
}

const OPEN = ['members', 'clients'];
const WRITTEN = 'stays: cannot go back from PostgreSQL 17 to 15';
const SILENT = 'stays: the leader of PostgreSQL 17 does not answer, so that nothing tells whether it has taken writes';

test.each([
  ['nothing was written', OPEN, {}, ['goes', 'goes', 'members']],
  ['rows were written', OPEN, { written: 1 }, [WRITTEN, WRITTEN, 'members and clients']],
  ['rows were written, and a person gives them up', OPEN, { written: 1, lose: true }, ['goes', 'goes', 'members']],
  ['the leader does not answer', OPEN, { up: false }, [SILENT, SILENT, 'members and clients']],
  ['no client was let in, and the leader does not answer', ['members'], { up: false }, ['goes', 'goes', 'members']],
  [
    'a look was interrupted after rows were written',
    ['members', '# a roll-back looks for writes'],
    { written: 1 },
    [WRITTEN, WRITTEN, 'members and clients'],
  ],
])('members leave the new version only without writes: %s', (_, rules, more, expected) => {
  expect(play(rules, more)).toEqual(expected);
});
