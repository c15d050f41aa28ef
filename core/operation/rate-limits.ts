import { inputError } from '../errors.js';

/** How often something may be asked, in activities a second. */
export interface RateLimit {
  perSecond: number;
}

/** Name of the limit of all hosts together. */
export const HOSTS = 'hosts';

interface AboutProvider {
  provider?: string;
  spec?: object;
  ensure?: { provider: string }[];
  remove?: { provider: string }[];
}

/** The provider that the input of an activity is about; the first where it lists servers. */
export const providerIn = ({ provider, spec, ensure, remove }: AboutProvider): string =>
  provider ?? (spec as { provider?: string } | undefined)?.provider ?? ensure?.[0]?.provider ?? remove?.[0]?.provider ?? '';

/**
 * Limits as a setting says them: `demo=5 local=0.5 hosts=50`, activities a second by
 * provider, or by provider and account (`demo/ci=2`), or for all hosts together.
 * Throws the input error `bad-limits`, which names every part that is wrong.
 *
 * @param known names that may be limited
 */
export function parseLimits(text: string, known: readonly string[]): Map<string, RateLimit> {
  const limits = new Map<string, RateLimit>();
  const wrong: string[] = [];
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name = '', number = ''] = /^([a-z0-9-]+(?:\/[A-Za-z0-9_-]+)?)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    if (!known.includes(name.split('/')[0] ?? '') || !(Number(number) > 0)) wrong.push(`"${part}"`);
    else limits.set(name, { perSecond: Number(number) });
  }
  if (wrong.length > 0)
    throw inputError({
      code: 'bad-limits',
      what: 'read the limits',
      on: 'PROVISIONING_LIMITS',
      why: `${wrong.join(', ')} ${wrong.length > 1 ? 'are not valid limits' : 'is not a valid limit'}`,
      hint: `write NAME=NUMBER with a number above 0, for ${known.join(', ')}`,
    });
  return limits;
}
