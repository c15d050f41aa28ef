import type { EC2, EC2ClientConfig } from '@aws-sdk/client-ec2';
import { type CredentialSource, inputError, ProvisioningError, unreachableError } from '../../../sdk/index.js';
import type { AwsConfig } from '../config.js';
import { resolveClientConfig } from '../credentials.js';
import { translate, unless } from '../errors.js';
import { assertZone, FIRST_REGION, type Place, parseZone, unknownZone } from '../zones.js';
import type { Ask, Purpose, Region } from './region.js';

/** Time limit of a request, in seconds. */
const ANSWER_S = 30;

/** Lifetime of the cached regions that an account has opened, in milliseconds. */
const REGIONS_MS = 3_600_000;

/** Account of AWS. Each of its resources is in one region. */
export interface Account {
  /** Interval of requests while waiting, in milliseconds. */
  pollMs: number;
  /** Configuration for the clients of other services. */
  settings: EC2ClientConfig;
  region(name: string): Region;
  /** Region in the account's configuration, if any. */
  homeName(): Promise<string | undefined>;
  /** That region, or a default region for region-independent requests. */
  home(): Promise<Region>;
  /**
   * Returns the place of a zone; without a zone, the account's region. Throws the input errors `unknown-zone` and
   * `no-region`.
   */
  place(zone: string | undefined, purpose: Purpose): Promise<Place & { in: Region }>;
  /** All regions that are open to the account. */
  everywhere(purpose: Purpose): Promise<Region[]>;
}

/** Opens an account, without a request to AWS. */
export async function openAccount(config: AwsConfig, outside: CredentialSource): Promise<Account> {
  // The SDK warns on standard error about every Node before 22, in any command that loads it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { EC2: Client } = await import('@aws-sdk/client-ec2');
  const settings = await resolveClientConfig(config, outside);
  const open = new Map<string, Region>();

  const region = (name: string): Region => {
    const known = open.get(name);
    if (known) return known;
    const ec2 = new Client({ ...settings, region: name });
    const quiet = { until: 0 };
    const made: Region = { name, for: (purpose) => (run) => ask(ec2, quiet, purpose, run) };
    open.set(name, made);
    return made;
  };

  const said = config.region ?? outside.env.AWS_REGION ?? outside.env.AWS_DEFAULT_REGION;
  let own: Promise<string | undefined> | undefined;
  const homeName = () => {
    // The SDK knows the region of the profile, and throws without one.
    own ??= said ? Promise.resolve(said) : new Client(settings).config.region().catch(() => undefined);
    return own;
  };
  const home = async () => region((await homeName()) ?? FIRST_REGION);

  let regions: { at: number; names: string[] } | undefined;
  const everywhere = async (purpose: Purpose): Promise<Region[]> => {
    if (!regions || Date.now() - regions.at > REGIONS_MS) {
      const here = await home();
      const { Regions } = (await unless(
        ['UnauthorizedOperation'],
        here.for(purpose)((ec2, options) => ec2.describeRegions({}, options)),
      )) ?? { Regions: [{ RegionName: here.name }] };
      regions = { at: Date.now(), names: (Regions ?? []).flatMap(({ RegionName }) => RegionName ?? []).sort() };
    }
    purpose.signal?.throwIfAborted();
    return regions.names.map(region);
  };

  return {
    pollMs: config.pollMs,
    settings,
    region,
    homeName,
    home,

    async place(zone, purpose) {
      if (zone === undefined) {
        const name = (await homeName()) ?? noRegion(purpose);
        return { region: name, in: region(name) };
      }
      const place = parseZone(zone) ?? unknownZone(zone, purpose);
      const open = await everywhere(purpose);
      if (!open.some(({ name }) => name === place.region))
        unknownZone(
          zone,
          purpose,
          open.map(({ name }) => name),
        );
      const there = region(place.region);
      if (place.availabilityZone) await assertZone(there, place.availabilityZone, purpose);
      return { ...place, in: there };
    },

    everywhere,
  };
}

/** @param quiet end of a region's requested pause, before which no request is sent */
async function ask<T>(ec2: EC2, quiet: { until: number }, { what, on, signal }: Purpose, run: Parameters<Ask>[0]): Promise<T> {
  signal?.throwIfAborted();
  const retryAfterMs = quiet.until - Date.now();
  if (retryAfterMs > 0) {
    throw unreachableError({ code: 'rate-limited', what, on, why: 'AWS requested a pause', retryAfterMs });
  }
  const limit = AbortSignal.timeout(ANSWER_S * 1_000);
  try {
    const answer = (await run(ec2, { abortSignal: signal ? AbortSignal.any([signal, limit]) : limit })) as T;
    return isOfAws(answer) ? answer : strange({ what, on });
  } catch (error) {
    signal?.throwIfAborted();
    const told = translate(what, on, limit.aborted ? limit.reason : error, ANSWER_S);
    if (told instanceof ProvisioningError) quiet.until = Math.max(quiet.until, Date.now() + (told.details.retryAfterMs ?? 0));
    throw told;
  }
}

/**
 * Reports whether AWS itself answered, with a request id. The SDK reads an HTML page as an empty answer, so that all
 * resources would seem to be gone.
 */
const isOfAws = (answer: unknown): boolean =>
  (answer as { $metadata?: { requestId?: string } } | undefined)?.$metadata?.requestId !== undefined;

function strange({ what, on }: Purpose): never {
  const why = 'AWS answered with HTTP 200 and an unknown format, perhaps from a proxy';
  throw unreachableError({ code: 'aws-answer', what, on, why });
}

function noRegion({ what, on }: Purpose): never {
  throw inputError({
    code: 'no-region',
    what,
    on,
    why: 'neither the definition nor the account sets a region',
    hint: 'set `zone` in the definition, or AWS_REGION',
  });
}

/** Returns the rows of all pages. */
export async function pages<P extends { NextToken?: string | undefined }, T>(
  ask: Ask,
  run: (ec2: EC2, options: { abortSignal: AbortSignal }, next: string | undefined) => Promise<P>,
  rows: (page: P) => T[] | undefined,
): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const token = next;
    const page = await ask((ec2, options) => run(ec2, options, token));
    all.push(...(rows(page) ?? []));
    next = page.NextToken || undefined;
  } while (next);
  return all;
}
