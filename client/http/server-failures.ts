import type { IncomingMessage } from 'node:http';
import type { MethodPlace } from '../../app/method-place.js';
import { type ErrorDetails, inputError, messageOf, ProvisioningError, TRANSIENT } from '../../core/errors.js';
import { ConnectionLost } from '../connection-lost.js';
import type { BrokenConnection } from './send-request.js';

/** The call that failed. */
interface CallAtPlace {
  method: string;
  place: MethodPlace;
}

/** Creates errors of failures between the client and a server. */
export interface Failures {
  /** Records that the server has answered: a later failure means that it has ended, and may come back. */
  answered(): void;
  /** The connection broke, or was not made. */
  broken(failed: CallAtPlace, error: BrokenConnection): ProvisioningError;
  /** The answer is not one of the platform. */
  strange(failed: CallAtPlace, response: IncomingMessage): ProvisioningError;
}

const CERTIFICATE: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Statuses of proxies whose server may have received the request. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

const WHAT = 'ask the server';

export function createFailures(url: string): Failures {
  let hasAnswered = false;

  const noAnswer = (why: string): ProvisioningError => {
    const details: ErrorDetails = {
      ...{ code: 'server-unreachable', blame: TRANSIENT, what: WHAT, on: url, why },
      hint: 'provisioning context show has the address; operations go on at the server',
    };
    return hasAnswered ? new ConnectionLost(details) : new ProvisioningError(details);
  };

  const answerLost = ({ method }: CallAtPlace, why: string) =>
    new ConnectionLost({
      code: 'answer-lost',
      blame: TRANSIENT,
      what: WHAT,
      on: method,
      why: `${why}, and the answer is lost: the change may have taken effect`,
      hint: 'provisioning audit list shows whether it was done; repeat it only if not',
    });

  return {
    answered() {
      hasAnswered = true;
    },
    broken(failed, error) {
      const cause = error.cause as { code?: string };
      if (cause?.code !== undefined && CERTIFICATE.has(cause.code)) return notTrusted(url, messageOf(cause));
      const why = describe(error.cause);
      if (!error.sent) return noAnswer(`${why}; nothing was sent`);
      return failed.place.safe ? noAnswer(why) : answerLost(failed, why);
    },
    strange(failed, { statusCode = 0 }) {
      const why = `what answers with status ${statusCode} is no server of the API`;
      return GATEWAY_STATUSES.has(statusCode) && !failed.place.safe
        ? answerLost(failed, `a proxy answers with ${statusCode}`)
        : noAnswer(why);
    },
  };
}

const notTrusted = (on: string, why: string) =>
  inputError({
    code: 'server-certificate',
    what: 'trust the server',
    on,
    why,
    hint: 'provisioning context add NAME --server URL --ca FILE names the authority of its certificate',
  });

/** Explains why a connection broke. If a name has several addresses, each one has its own reason. */
function describe(cause: unknown): string {
  const [first] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause];
  return messageOf(first) || 'the connection broke';
}
