/**
 * `npm run verify`: runs the static checks, the build, the quick unit tests, and the first tier of the tests with
 * proofs (docs/contribute/testing.md). `-- --all` plays almost all of them.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { type Failure, sideBySide } from '../side-by-side.js';
import { type Choice, choose, chooseAll } from './choose.js';
import { describeFailedChecks, describeFailedTests, readChecks } from './describe-failures.js';
import { watchIdle } from './idle.js';
import { LANES } from './lanes/lanes.js';
import { isOfTaskservs } from './of-taskservs.js';
import { optionsOf } from './options.js';
import { keepProofs, play } from './play.js';
import { describeAgain, playAgain } from './play-again.js';
import { IN_PART, SENTINELS } from './sentinels.js';
import { readState, renewedProofs } from './state.js';

const USAGE = `npm run verify [-- OPTIONS]

Runs the static checks and the quick unit tests, and plays slow unit tests and those on engines and hosts that are not
proven.

  --all              play all tests, whatever is proven, except tests about services that did not change
  --also-fresh       with --all: play these tests too
  --budget MINUTES   of stale tests, play what takes this long (default: 3)
  --need-fresh       fail if a proof is stale at the end
  --only-tests       leave the static checks and the unit tests out
  --list             print what would be played, and play nothing
`;

const root = resolve(import.meta.dirname, '../..');
/** Total minutes of files that are played although their proofs hold. */
const AGAIN = 2;

const { values } = optionsOf(USAGE, {
  options: {
    all: { type: 'boolean', default: false },
    'also-fresh': { type: 'boolean', default: false },
    budget: { type: 'string', default: '3' },
    'need-fresh': { type: 'boolean', default: false },
    'only-tests': { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const UNIT = ['unit'];
const show = (text: string): void => void process.stdout.write(text);
const lane = (minutes: number) => minutes * 60 * LANES;

async function main(): Promise<number> {
  const budget = Number(values.budget);
  if (!(budget >= 0)) {
    process.stderr.write(`cannot read --budget "${values.budget}": it is no number of minutes\n${USAGE}`);
    return 2;
  }
  if (values['also-fresh'] && !values.all) {
    process.stderr.write(`cannot use --also-fresh without --all: the first tier plays what is stale\n${USAGE}`);
    return 2;
  }
  await run('npm', ['run', '-s', 'generate']);
  if (!values.list) await run('npm', ['run', '-s', 'build:generated']);
  const state = await readState(root);
  const { candidates, proofs } = state;
  const commit = (await execa('git', ['rev-parse', 'HEAD'], { cwd: root })).stdout;
  const rules = { sentinels: SENTINELS, inPart: IN_PART, budget: lane(budget), againBudget: lane(AGAIN), draw: commit };
  const choice: Choice = values.all
    ? chooseAll(candidates, (file) => isOfTaskservs(file) && !values['also-fresh'])
    : choose(candidates, { ...rules, renewed: await renewedProofs(root, proofs) });
  tell(choice);
  if (values.list) return 0;
  await state.hold();
  // Slow tests wait half of their time, and these compute. The output of each is shown in one piece when it ends.
  const failures: Failure[] = [];
  const endIdle = watchIdle();
  const checking = values['only-tests'] ? undefined : check(failures);
  const playingUnit = values['only-tests'] ? undefined : play([], {}, root, { projects: UNIT, show });
  const env = { TESTS_IN_PART: choice.inPart.join(), TESTS_DRAW: commit };
  const beside = await play([...choice.whole, ...choice.inPart], env, root);
  const checks = (await checking) ?? 0;
  const unitBeside = await playingUnit;
  const idle = endIdle();
  const isWhole = ({ file }: { file: string }) => !choice.inPart.includes(file);
  // Saved now, so that an interrupted run keeps them.
  await keepProofs(root, beside.ended.filter(isWhole), state);
  // From here on, files play one at a time.
  const unit = unitBeside && (await playAgain(unitBeside, (file) => play([file], {}, root, { projects: UNIT })));
  const slow = await playAgain(beside, (file) => play([file], env, root));
  const proven = await keepProofs(root, slow.ended.filter(isWhole), state);
  if (proven > 0) console.log(`verify: ${proven} test files proven: commit test/proofs/proofs.json`);
  tell(choice);
  console.log(`verify: the processors were idle for ${idle}`);
  for (const line of [unit, slow].flatMap((judged) => (judged ? describeAgain(judged) : []))) console.log(`verify: ${line}`);
  const failed = [
    ...describeFailedChecks(failures),
    ...(unit ? describeFailedTests('quick unit tests', unit) : []),
    ...describeFailedTests('tests with proofs', slow),
  ];
  for (const line of failed) console.log(`verify: ${line}`);
  const exitCode = checks || unit?.exitCode || slow.exitCode;
  if (exitCode !== 0) return exitCode;
  return values['need-fresh'] && choice.left.length > 0 ? 1 : 0;
}

/** Runs the static checks: those of `npm run check`, so that each that fails is known by its name. */
async function check(failures: Failure[]): Promise<number> {
  const { scripts } = JSON.parse(await readFile(resolve(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  return sideBySide(root, readChecks(scripts.check ?? ''), show, failures);
}

async function run(program: string, args: string[]): Promise<void> {
  const { exitCode } = await execa(program, args, { cwd: root, stdio: 'inherit', reject: false });
  if (exitCode !== 0) process.exit(exitCode ?? 1);
}

/** Prints which files are played, and which are not and since when they are proven. */
function tell({ whole, inPart, left, fresh }: Choice): void {
  console.log(`verify: ${whole.length} slow test files, and parts of ${inPart.length}`);
  if (fresh.length > 0) {
    const oldest = fresh.map(({ on = '' }) => on).sort()[0];
    console.log(
      `verify: not played, proven before (the oldest on ${oldest}): ${fresh.length} files${values.all ? ' about services; --also-fresh plays them' : '; npm run verify -- --all plays them'}`,
    );
  }
  if (left.length === 0) return;
  for (const { file, stale, on = 'never' } of left)
    console.log(`verify: stale, not played: ${file}: ${stale} (last proven: ${on})`);
  console.log('verify: npm run proofs -- --stale plays what is stale; commit test/proofs/proofs.json then');
}

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();
