import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inputError, messageOf } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import type { Home } from '../../../home/home.js';
import { resolveEnvironment } from '../../../settings/settings.js';

const text = { type: 'string' } as const;
const yes = { type: 'boolean' } as const;

/**
 * Runs `backup create|list|verify|restore|sweep` of the engine's program.
 *
 * @throws inputError `bad-arguments`, and the errors of each verb
 */
export async function backup(home: Home, [verb, ...args]: readonly string[], report: Reporter): Promise<unknown> {
  switch (verb) {
    case 'create': {
      const { values } = parsed(args, { out: text, folder: text, 'no-logs': yes });
      const { createBackup } = await import('./create.js');
      return createBackup(home, { out: values.out, folder: values.folder, logs: !values['no-logs'] }, report);
    }
    case 'list': {
      const { positionals } = parsed(args, {});
      const { listBackups } = await import('./list.js');
      return listBackups(home, positionals[0] && resolve(positionals[0]));
    }
    case 'verify': {
      const { values, positionals } = parsed(args, { key: text, recovery: text });
      const [{ verifyBackup, verifyWithCopy }, { availableCipher, openEnvironmentCipher }] = await Promise.all([
        import('./verify.js'),
        import('./available-keys.js'),
      ]);
      const file = resolve(named(positionals));
      // The keys of the copy come by the environment, which no other user can read.
      if (values.recovery !== undefined)
        return verifyWithCopy(file, values.recovery, await openEnvironmentCipher(process.env), report);
      const cipher = await availableCipher(home, await resolveEnvironment(home), values.key);
      return verifyBackup(file, cipher, report);
    }
    case 'restore': {
      const { values, positionals } = parsed(args, { to: text, key: text, store: text });
      const { restoreBackup } = await import('./restore.js');
      const { to = home.root, key, store } = values;
      return restoreBackup({ file: resolve(named(positionals)), to: resolve(to), key, store }, report);
    }
    case 'sweep': {
      const { values } = parsed(args, { check: yes, grace: text });
      const { sweepPayloads } = await import('./sweep.js');
      const graceHours = values.grace === undefined ? undefined : Number(values.grace);
      return sweepPayloads(home, { check: values.check, graceHours }, report);
    }
    default:
      throw badArguments(`unknown verb "backup ${verb ?? ''}"`);
  }
}

function parsed<O extends Record<string, typeof text | typeof yes>>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw badArguments(messageOf(error));
  }
}

function named([file]: readonly string[]): string {
  if (file) return file;
  throw badArguments('no file is named');
}

const badArguments = (why: string) => inputError({ code: 'bad-arguments', what: 'run the engine', why });
