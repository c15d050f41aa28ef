import type { EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { Route53 } from '@aws-sdk/client-route-53';
import { ProvisioningError, unreachableError } from '../../../sdk/index.js';
import type { Purpose } from '../ec2/region.js';
import { translate } from '../errors.js';

/** How long Route 53 may take for one answer, in seconds. */
const ANSWER_S = 30;

/** Where Route 53 is asked, whatever the region of the account. */
const REGION = 'us-east-1';

/** Makes one request with its time limit, and tells its failure in our words. */
export type AskDns = <T>(run: (dns: Route53, options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/** Route 53 of an account; nothing is asked of it yet. */
export async function openDns(settings: EC2ClientConfig): Promise<{ for(purpose: Purpose): AskDns }> {
  const { Route53: Client } = await import('@aws-sdk/client-route-53');
  const { credentials, profile, endpoint, maxAttempts, requestHandler } = settings;
  const dns = new Client({
    region: REGION,
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(requestHandler && { requestHandler }),
    ...(credentials && { credentials }),
    ...(profile !== undefined && { profile }),
    ...(endpoint !== undefined && { endpoint }),
  });
  let quietUntil = 0;
  return {
    for:
      ({ what, on, signal }) =>
      async (run) => {
        signal?.throwIfAborted();
        const retryAfterMs = quietUntil - Date.now();
        if (retryAfterMs > 0) {
          const why = 'AWS requested a pause';
          throw unreachableError({ code: 'rate-limited', what, on, why, retryAfterMs });
        }
        const limit = AbortSignal.timeout(ANSWER_S * 1_000);
        try {
          return await run(dns, { abortSignal: signal ? AbortSignal.any([signal, limit]) : limit });
        } catch (error) {
          signal?.throwIfAborted();
          const told = translate(what, on, limit.aborted ? limit.reason : error, ANSWER_S);
          if (told instanceof ProvisioningError) quietUntil = Math.max(quietUntil, Date.now() + (told.details.retryAfterMs ?? 0));
          throw told;
        }
      },
  };
}
