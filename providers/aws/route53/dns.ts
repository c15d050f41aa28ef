import type { EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { Route53 } from '@aws-sdk/client-route-53';
import { ProvisioningError, unreachableError } from '../../../sdk/index.js';
import type { Purpose } from '../ec2/region.js';
import { translate } from '../errors.js';

/** Time limit of a Route 53 request, in seconds. */
const ANSWER_S = 30;

/** Region of Route 53's endpoint, for accounts of all regions. */
const REGION = 'us-east-1';

/** Sends one request with a time limit, and converts its failure to our errors. */
export type AskDns = <T>(run: (dns: Route53, options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/** Opens Route 53 for an account, without a request. */
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
