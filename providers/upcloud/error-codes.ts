import type { Blame } from '../../core/errors.js';

/** What a code of the vendor means to us. */
export interface Meaning {
  code: string;
  blame: Blame;
  hint?: string;
}

const user = (code: string, hint?: string): Meaning => ({ code, blame: 'user', hint });
const NOT_SETTLED: Meaning = { code: 'upcloud-not-settled', blame: 'weather' };
const FAILED: Meaning = { code: 'upcloud-failed', blame: 'weather' };
const BUG: Meaning = { code: 'upcloud-refused', blame: 'bug' };

const QUOTA = user(
  'quota-exceeded',
  'delete what is not needed, or ask UpCloud for a higher limit; `provisioning provider check upcloud`',
);
const CREDENTIALS = user('credentials', 'check the token, or user name and password, and whether the API is enabled for this user');
const PERMISSION = user(
  'not-permitted',
  'let the account do it in the UpCloud control panel; `provisioning provider check upcloud`',
);
const ZONE = user('unknown-zone', '`provisioning provider zones upcloud` lists those there are');
const PLAN = user('unknown-plan', '`provisioning provider plans upcloud` lists those there are');
const LABEL = user('label-not-allowed', 'UpCloud takes keys of 2 to 32 and values of up to 255 characters of ASCII');

/** Codes whose name alone does not tell their kind. */
const EXACT: Readonly<Record<string, Meaning>> = {
  AUTHENTICATION_FAILED: CREDENTIALS,
  INVALID_USERNAME: CREDENTIALS,
  INSUFFICIENT_CREDITS: user('quota-exceeded', 'the account has no credits left: add some in the UpCloud control panel'),
  TRIAL_PLAN: user('quota-exceeded', 'a trial account may not have this: upgrade it in the UpCloud control panel'),
  SERVER_CREATING_LIMIT_REACHED: NOT_SETTLED,
  FIREWALL_RULE_LIMIT_REACHED: user('quota-exceeded', 'a server takes 1,000 rules'),
  ZONE_INVALID: ZONE,
  ZONE_MISSING: ZONE,
  ZONE_NOT_FOUND: ZONE,
  ZONE_MISMATCH: user('unknown-zone', 'a server, its network and its volumes lie in one zone'),
  ZONE_HOST_FORBIDDEN: PERMISSION,
  PLAN_INVALID: PLAN,
  PLAN_CORE_NUMBER_ILLEGAL: PLAN,
  PLAN_MEMORY_AMOUNT_ILLEGAL: PLAN,
  CORE_MEMORY_UNSUPPORTED: PLAN,
  SIZE_INVALID: user('volume-size', 'a volume has 1 to 4,096 GiB, at least as much as its image, and never shrinks'),
  ADDRESS_INVALID: user('network-range', 'a private IPv4 range such as 10.20.0.0/24'),
  NETWORK_NOT_EMPTY: user('network-in-use', 'delete its servers first'),
  NETWORK_NAME_INVALID: user('name-not-allowed'),
  HOSTNAME_INVALID: user('name-not-allowed'),
  INVALID_LABEL_KEY: LABEL,
  INVALID_LABEL_VALUE: LABEL,
  DUPLICATE_LABEL_KEYS: LABEL,
  STRICT_ANTI_AFFINITY_NOT_MET: user('placement-not-possible', 'fewer servers with the same placement, or another zone'),
  HOT_RESIZE_NOT_ENABLED: NOT_SETTLED,
  HOT_RESIZE_UNAVAILABLE: NOT_SETTLED,
  'METADATA_DISABLED_ON_CLOUD-INIT': BUG,
  WINDOWS_NOT_AVAILABLE: user('unknown-image'),
  MS_LMA_REQUIRED: user('unknown-image', 'sign the licence agreement in the UpCloud control panel'),
  TOO_MANY_REQUESTS: { code: 'rate-limited', blame: 'weather' },
};

/** Kinds of codes, by how they end or what is in them; the first that fits. */
const KINDS: readonly [RegExp, Meaning][] = [
  [/_LIMIT_REACHED$/, QUOTA],
  [/RESOURCES_UNAVAILABLE$|NOT_AVAILABLE$|NO_AVAILABLE|^IMPORT_UNAVAILABLE$|^FLOATING_IP_NOT_AVAILABLE$/, FAILED],
  [/_FORBIDDEN$|^CANNOT_/, PERMISSION],
  [
    /_STATE_ILLEGAL$|_ATTACHED(_AS_\w+)?$|_IN_USE$|_NOT_IN_USE$|_CONFLICT$|_INCONSISTENT$|NOT_IN_PROGRESS$|UNABLE_TO_CANCEL/,
    NOT_SETTLED,
  ],
  [
    /_EXISTS$|^DUPLICATE_|^ALREADY_IN_/,
    user('name-taken', 'something of that name is there, and is not ours: rename or delete it in the UpCloud control panel'),
  ],
  // Everything is looked up before it is used: what is not found was there a moment ago.
  [/NOT_FOUND$|^NO_/, NOT_SETTLED],
  [/_FAILED$|^SERVICE_ERROR$|^FAILED_TO_|HOTPLUG/, FAILED],
  [/_INVALID$|_MISSING$|_ILLEGAL$|^INVALID_|^UNKNOWN_|_REQUIRED$|_MISMATCH$|UNSUPPORTED$|_NOT_SUPPORTED$|^VALIDATION_ERROR$/, BUG],
];

/** What a refusal means, by the vendor's code, or else by the status of HTTP. */
export function meaningOf(code: string, status = 0): Meaning {
  const known = EXACT[code] ?? KINDS.find(([pattern]) => pattern.test(code))?.[1];
  if (status === 429) return { code: 'rate-limited', blame: 'weather' };
  if (status >= 500) return known?.blame === 'weather' ? known : FAILED;
  if (known) return known;
  if (status === 401) return CREDENTIALS;
  if (status === 403) return PERMISSION;
  if (status === 404) return NOT_SETTLED;
  if (status === 402) return QUOTA;
  return BUG;
}
