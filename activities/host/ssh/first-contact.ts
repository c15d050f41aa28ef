import { setTimeout as sleep } from 'node:timers/promises';
import { inputError, messageOf, ProvisioningError, TRANSIENT, unreachableError } from '../../../core/errors.js';
import { awakeMs } from '../../awake.js';
import { SHORT_MS } from '../time-limits.js';
import type { Target, Transports } from '../transport.js';

export interface FirstContact {
  transports: Transports;
  target: Target;
  /** Says what is waited for. */
  beat(what: string): void;
  /** The end of what the machine wrote to its console, where the provider keeps that. */
  console?(): Promise<string | undefined>;
  signal?: AbortSignal;
  /** Milliseconds; tests shorten them. */
  limits?: Partial<typeof LIMITS>;
}

/** How long a new machine may take: until its SSH server answers, to be given our keys, and to finish its first boot. */
const LIMITS = { answerMs: 3 * 60_000, keysMs: 60_000, bootMs: 8 * 60_000, pauseMs: 500 };

/** Title of the wait after the first login. */
export const FIRST_BOOT = 'Wait for the end of its first boot';

/** Errors of an SSH server that started before cloud-init installed the keys. */
const NOT_YET = ['ssh-key-refused', 'host-key-changed'];

/**
 * Logs in to a new machine as soon as it lets us, and waits for the end of its first boot.
 *
 * @throws a transient error where it does not answer, what SSH refuses once it had the time for its
 *   keys, and the input error `first-boot-failed`; each with the end of what the machine wrote
 */
export async function firstContact(contact: FirstContact): Promise<void> {
  const { transports, target, beat, signal } = contact;
  const limits = { ...LIMITS, ...contact.limits };
  const began = awakeMs();
  for (;;) {
    try {
      beat('Wait until it lets us in');
      const transport = await transports.open(target);
      await transport.exec('true', { signal, limitMs: SHORT_MS });
      break;
    } catch (error) {
      signal?.throwIfAborted();
      const limit = limitFor(error, limits);
      if (limit === undefined) throw error;
      const final = error instanceof ProvisioningError && error.details.final;
      if (final || awakeMs() - began > limit) throw await withConsole(error as ProvisioningError, contact);
      transports.forget(target);
      await sleep(limits.pauseMs, undefined, { signal });
    }
  }
  beat(FIRST_BOOT);
  const transport = await transports.open(target);
  const { stdout } = await transport.exec(waitForBoot(limits.bootMs), { signal, limitMs: limits.bootMs + SHORT_MS });
  const [code = '', ...output] = stdout.trim().split('\n');
  if (code === 'done') return;
  const parts = { what: 'wait for the first boot', on: target.server };
  const tail = lastLines(output.join('\n'));
  const end = tail ? `; it ended with: ${tail}` : '';
  if (code === 'late') {
    const why = `cloud-init did not end within ${Math.round(limits.bootMs / 1000)} s${end}`;
    throw unreachableError({ ...parts, code: 'first-boot-late', why });
  }
  throw inputError({
    ...parts,
    code: 'first-boot-failed',
    why: `cloud-init reports an error${end}`,
    hint: `look at /var/log/cloud-init-output.log there: provisioning server ssh ${target.server}`,
  });
}

function limitFor(error: unknown, { answerMs, keysMs }: typeof LIMITS): number | undefined {
  if (!(error instanceof ProvisioningError)) return undefined;
  if (NOT_YET.includes(error.details.code)) return keysMs;
  return error.details.blame === TRANSIENT ? answerMs : undefined;
}

/** Recoverable errors (code 2) are warnings. Machines without cloud-init have no first boot of that kind. */
const waitForBoot = (bootMs: number): string => `
command -v cloud-init >/dev/null 2>&1 || { echo done; exit 0; }
timeout ${Math.max(1, Math.ceil(bootMs / 1000))} cloud-init status --wait >/dev/null 2>&1
case $? in
  0|2) echo done; exit 0 ;;
  124) echo late ;;
  *) echo failed ;;
esac
tail -n 20 /var/log/cloud-init-output.log 2>/dev/null
true
`;

/** The error with what the machine wrote to its console last, where that can be had. */
async function withConsole(error: ProvisioningError, { console: read }: FirstContact): Promise<ProvisioningError> {
  const tail = lastLines((await read?.().catch((fault: unknown) => `(not to be had: ${messageOf(fault)})`)) ?? '');
  if (tail === '') return error;
  return new ProvisioningError(
    { ...error.details, why: `${error.details.why}; its console ended with: ${tail}` },
    { cause: error },
  );
}

/** The end of a text on one line, without keys and colours. */
function lastLines(text: string): string {
  const plain = text
    .replace(/-----BEGIN [^-]*-----[\s\S]*?(-----END [^-]*-----|$)/g, '(a key)')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: consoles are full of them
    .replace(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f]/g, '');
  const lines = plain.split('\n').flatMap((line) => line.trim() || []);
  return lines.slice(-6).join(' ⏎ ').slice(-800);
}
