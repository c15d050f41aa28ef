import { unreachableError } from '../core/errors.js';
import { timeLeft } from './worked-time.js';

/** Activities that only look and may be abandoned after their time limit, with their description in errors. */
const LOOKS: Readonly<Record<string, string>> = {
  decide: 'look at the host',
  planServers: 'look at the servers',
  lookAtPower: 'look at the servers',
};

/**
 * Ends a look a moment before Temporal would, with an error that names the system without an answer. Temporal would
 * only say that the time was over. Activities with changes are awaited.
 *
 * @throws `timed-out`, which Temporal retries if time is left
 */
export async function limitCallTime<T>(name: string, args: readonly unknown[], work: () => Promise<T>): Promise<T> {
  const what = LOOKS[name];
  const left = what === undefined ? undefined : timeLeft();
  if (what === undefined || left === undefined) return work();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `no answer within ${Math.round(left / 1000)} s`;
    timer = setTimeout(() => reject(unreachableError({ code: 'timed-out', what, on: subjectOf(args[0]), why })), left);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

interface About {
  server?: string | { name: string };
  servers?: string[];
  ensure?: { name: string; provider?: string }[];
  provider?: string;
}

/** The servers that an activity's input is about, and their provider. */
function subjectOf(input: unknown): string {
  const { server, servers, ensure, provider } = (input ?? {}) as About;
  const names = server === undefined ? (servers ?? ensure?.map(({ name }) => name) ?? []) : [server].flat();
  const said = names.map((one) => (typeof one === 'string' ? one : one.name));
  const few = said.length > 3 ? [...said.slice(0, 3), `${said.length - 3} more`] : said;
  const providers = [...new Set([provider, ...(ensure ?? []).map((one) => one.provider)].filter(Boolean))];
  return [few.join(', '), providers.length > 0 ? `(provider ${providers.join(', ')})` : ''].filter(Boolean).join(' ');
}

/**
 * Returns the result of the work, or an error after the time limit. Late work ends by its own limits, and is not
 * awaited.
 */
export async function limitTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
}
