import type { Limits } from '../../api/limits/admit.js';
import { limitRequests } from '../../api/limits/request-limits.js';
import { guardSignIns, type SignInGuard } from '../../app/limits/sign-in-guard.js';
import { readSetting } from '../../settings/settings.js';
import type { Rows } from '../../stores/rows.js';

/** Returns the limits of an API server that a resolved environment sets. */
export function apiLimitSettings(env: NodeJS.ProcessEnv) {
  return {
    rates: {
      account: readSetting<number>(env, 'api.requestsPerAccount') ?? 18_000,
      address: readSetting<number>(env, 'api.requestsPerAddress') ?? 36_000,
    },
    failedSignIns: readSetting<number>(env, 'api.failedSignIns') ?? 50,
    trustedProxies: new Set(
      (readSetting<string>(env, 'api.trustedProxies') ?? '')
        .split(',')
        .map((one) => one.trim().toLowerCase())
        .filter((one) => one !== ''),
    ),
  };
}

/** The limits of an API server. */
export function openApiLimits(env: NodeJS.ProcessEnv, rows: () => Promise<Rows>): Limits & { signIns: SignInGuard } {
  const { rates, failedSignIns, trustedProxies } = apiLimitSettings(env);
  return { requests: limitRequests(rates), signIns: guardSignIns(rows, failedSignIns), trustedProxies };
}
