import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backupProgram } from './backup-program.js';

const PROGRAM = backupProgram(7);

/** What surrounds the parts under test: folders are real, Patroni and PostgreSQL are not. */
const STUBS = `
import json, os, subprocess, sys
data = sys.argv[1] + "/data"
fresh, record, bin, me, scope = data + ".restoring", data + ".restore.json", "/no", "db-1", "shop"
leading_after, others, calls = json.loads(sys.argv[2]), json.loads(sys.argv[3]), []
def die(why): raise SystemExit(why)
def until(_, look): return look()
def well(one): return one["state"] in ("running", "streaming")
def leads(): return False
def run(*words, **more):
    if words[0].startswith("/no/"): return subprocess.CompletedProcess(words, 3, "", "")
    return subprocess.run(words, text=True, **more)
`;
const FAKES = `
def patroni(verb): calls.append(verb)
def leading(): return leading_after and open(data + "/whose").read() if os.path.isdir(data) else False
def forget():
    if others: die("other members run: " + ", ".join(others))
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'restore-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const partFrom = (begin: string, end: string) => PROGRAM.slice(PROGRAM.indexOf(begin), PROGRAM.indexOf(end));
const FORMER = 'data.before-restore-20261130120000';
const put = (name: string, whose: string) => {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'whose'), whose);
};
const resume = (others: string[] = []) => {
  writeFileSync(join(folder, 'data.restore.json'), JSON.stringify({ former: join(folder, FORMER) }));
  const source = `${STUBS}\n${partFrom('def halt():', 'def ended(')}\n${FAKES}\nresume()\nprint(calls[-1])`;
  return execFileSync('python3', ['-c', source, folder, 'true', JSON.stringify(others)], { encoding: 'utf8' });
};
const serving = () => readFileSync(join(folder, 'data/whose'), 'utf8');

test.each([
  ['before the two renames', { data: 'former', 'data.restoring': 'part' }, 'former'],
  ['between the two renames', { [FORMER]: 'former', 'data.restoring': 'whole' }, 'former'],
  ['after the two renames', { [FORMER]: 'former', data: 'restored' }, 'restored'],
  ['on the way back, between its renames', { [FORMER]: 'former', [`${FORMER}.failed`]: 'restored' }, 'former'],
  ['on the way back, before it removes the restored data', { data: 'former', [`${FORMER}.failed`]: 'restored' }, 'former'],
])('a restore that was killed %s has data that serves after the next run', (_, folders, whose) => {
  for (const [name, content] of Object.entries(folders)) put(name, content);
  expect(resume()).toMatch(/start\n$/);
  expect(serving()).toBe(whose);
  for (const left of ['data.restoring', 'data.restore.json', `${FORMER}.failed`])
    expect(existsSync(join(folder, left))).toBe(false);
  expect(existsSync(join(folder, FORMER))).toBe(whose === 'restored');
});

test('restored data does not serve while another member runs: the former data does', () => {
  put(FORMER, 'former');
  put('data', 'restored');
  expect(resume(['db-2'])).toContain('other members run: db-2; the former data serves again');
  expect(serving()).toBe('former');
});
