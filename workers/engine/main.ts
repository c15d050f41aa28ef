import { dirname } from 'node:path';
import { type ErrorDetails, inputError, messageOf, ProvisioningError } from '../../core/errors.js';
import { EXIT, exitCodeOfError } from '../../core/exit-codes.js';
import type { ProgressReport, Reporter } from '../../core/report.js';
import { systemError } from '../../core/system-errors.js';
import { cacheOf, type Home, homeOf } from '../../home/home.js';
import { parseServeOptions } from '../api/serve-options.js';
import type { FleetAsk } from './fleet-verbs.js';
import { checkSocketPaths } from './socket-paths.js';

const PROFILE = '--profile=';
/** Of `supervisor.js`, for itself. */
const SUPERVISOR = '--supervisor=';
/** Option for an API server; `--api=OPTION` for each option of `serve`. */
const API = '--api';
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  up: ['--local', '--rebuild', '--no-worker', '--no-supervisor', '--install-service', '--allow-this-host', API],
  down: ['--uninstall-service'],
};
const USAGE =
  'up [--local] [--rebuild] [--no-worker] [--no-supervisor] [--install-service] [--allow-this-host] [--api] [--api=--OPTION[=VALUE]]… [--profile=NAME] | down [--uninstall-service] | status | fleet [status | promote [BUILD] | ramp BUILD PERCENT] | backup create|list|verify|restore|sweep | store check|copy|switch, each with --events';

/**
 * The engine as a program of its own, so that the command line need not load it.
 * With `--events` each line of standard output is JSON: a ProgressReport while it
 * works, at last `{ result }` or `{ error }`.
 *
 * @returns the exit code: 0 done, 1 our fault, 2 bad input, 3 a service cannot be reached
 */
async function main(args: readonly string[]): Promise<number> {
  const events = args.includes('--events');
  const print = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);
  const report: Reporter = (progress) => (events ? print(progress) : tell(progress));
  try {
    const { result, code } = await run(
      args.filter((arg) => arg !== '--events'),
      report,
    );
    print(events ? { result } : result);
    return code;
  } catch (error) {
    const details = detailsOf(error);
    if (events) print({ error: details });
    else process.stderr.write(`${new ProvisioningError(details).message}\n${details.hint ? `${details.hint}\n` : ''}`);
    return exitCodeOfError(details);
  }
}

async function run([verb, ...flags]: string[], report: Reporter): Promise<{ result: unknown; code: number }> {
  const home = homeOf();
  const known = KNOWN[verb ?? ''] ?? [];
  const profile = flags.find((flag) => flag.startsWith(PROFILE))?.slice(PROFILE.length);
  const supervisor = numberIn(flags.find((flag) => flag.startsWith(SUPERVISOR)));
  const unknown =
    verb === 'fleet' || verb === 'backup' || verb === 'store'
      ? undefined
      : flags.find(
          (flag) =>
            !known.includes(flag) &&
            !(verb === 'up' && (flag.startsWith(PROFILE) || flag.startsWith(`${API}=`))) &&
            !(supervisor && flag.startsWith(SUPERVISOR)),
        );
  if (unknown !== undefined) throw badArguments(`unknown option "${unknown}"`);
  switch (verb) {
    case 'up': {
      checkSocketPaths(home);
      const { up } = await import('./up.js');
      const options = {
        local: flags.includes('--local'),
        rebuild: flags.includes('--rebuild'),
        worker: !flags.includes('--no-worker'),
        allowThisHost: flags.includes('--allow-this-host'),
        api: apiOptions(flags),
        profile,
        supervise: !flags.includes('--no-supervisor'),
        supervisor,
      };
      const result = await up(home, options, report);
      if (!flags.includes('--install-service')) return { result, code: 0 };
      return { result: { ...result, service: await runAsService(home, options, report) }, code: 0 };
    }
    case 'revive': {
      const { revive } = await import('./up.js');
      if (!supervisor) throw badArguments('revive is for a supervisor');
      // The build beside this program, which may differ from the build of the package around it.
      await revive(home, supervisor, dirname(process.argv[1] ?? ''), report);
      return { result: null, code: 0 };
    }
    case 'down': {
      const { down } = await import('./down.js');
      const { uninstallUnit } = await import('./service/service.js');
      const gone = flags.includes('--uninstall-service') && (await uninstallUnit(home, process.env));
      if (gone) report({ task: 'service', text: 'taken away', state: 'done' });
      return { result: await down(home, report), code: 0 };
    }
    case 'backup': {
      const { backup } = await import('./backup/backup-verbs.js');
      return { result: await backup(home, flags, report), code: EXIT.done };
    }
    case 'store': {
      const { moveVerb } = await import('./store-move/move-verbs.js');
      return { result: await moveVerb(home, flags[0], report, dirname(process.argv[1] ?? '')), code: EXIT.done };
    }
    case 'fleet': {
      const { fleet } = await import('./fleet-verbs.js');
      return { result: await fleet(home, fleetAsk(flags)), code: 0 };
    }
    case 'status': {
      const { status } = await import('./status.js');
      const result = await status(home);
      return { result, code: result.problems.length === 0 ? EXIT.done : EXIT.notReached };
    }
    default:
      throw badArguments(verb === undefined ? 'no verb given' : `unknown verb "${verb}"`);
  }
}

function fleetAsk([verb = 'status', build, percent]: string[]): FleetAsk {
  if (verb === 'status') return { verb };
  if (verb === 'promote') return { verb, build };
  if (verb === 'ramp' && build !== undefined && percent !== undefined) return { verb, build, percent: Number(percent) };
  throw badArguments(`"fleet ${verb}" is not understood`);
}

/** Installs the home as a systemd service, after all of its processes have started. */
async function runAsService(home: Home, { worker }: { worker: boolean }, report: Reporter): Promise<string> {
  if (!worker) throw badArguments('a service always runs a worker: remove --no-worker');
  const { installUnit, startService } = await import('./service/service.js');
  report({ task: 'service', text: 'installing', state: 'running' });
  const dist = dirname(process.argv[1] ?? '');
  const path = await installUnit(home, { cache: cacheOf(process.env), dist, env: process.env });
  await startService(home, process.env);
  report({ task: 'service', text: `runs, and will with the next start: ${path}`, state: 'done' });
  return path;
}

/** The options of `serve`, read before anything is started. */
function apiOptions(flags: readonly string[]): string[] | undefined {
  const options = flags.filter((flag) => flag.startsWith(`${API}=`)).map((flag) => flag.slice(API.length + 1));
  if (!flags.includes(API) && options.length === 0) return undefined;
  parseServeOptions(options);
  return options;
}

const numberIn = (flag: string | undefined): number | undefined => Number(flag?.slice(SUPERVISOR.length)) || undefined;

const badArguments = (why: string) =>
  inputError({ code: 'bad-arguments', what: 'read the arguments of the engine', why, hint: USAGE });

function tell({ task, text, fraction, state }: ProgressReport): void {
  const share = fraction === undefined ? '' : ` (${Math.floor(fraction * 100)} %)`;
  process.stderr.write(`${task}: ${text}${share}${state === 'failed' ? ': failed' : ''}\n`);
}

function detailsOf(error: unknown): ErrorDetails {
  if (error instanceof ProvisioningError) return error.details;
  return systemError(error, homeOf().root) ?? { code: 'unexpected', blame: 'bug', what: 'run the engine', why: messageOf(error) };
}

// Natively loaded libraries may keep the process alive after all is done.
process.exit(await main(process.argv.slice(2)));
