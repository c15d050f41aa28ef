import { connect } from 'node:http2';
import { readCertificates } from '../../../home/home-certificates.js';

const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
const SERVING = 1;

/**
 * Returns whether a Temporal frontend at `host:port` reports that it serves, by gRPC's health protocol over HTTP/2. It
 * is implemented here because the import of a gRPC client takes longer than the rest of `up` if everything runs
 * already.
 *
 * @param timeoutMs silence for this long means no
 * @param certificates folder of its certificates; without it, no TLS
 */
export function isServing(address: string, timeoutMs = 1_000, certificates?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = certificates ? connect(`https://${address}`, shown(certificates)) : connect(`http://${address}`);
    const end = (answer: boolean) => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    session.on('error', () => end(false));
    const call = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.on('end', () => end(statusIn(Buffer.concat(chunks)) === SERVING));
    call.on('error', () => end(false));
    call.end(frame(Buffer.concat([Buffer.from([0x0a, SERVICE.length]), Buffer.from(SERVICE)])));
  });
}

function shown(certificates: string) {
  const { authority, certificate, key } = readCertificates(certificates);
  return { ca: authority, cert: certificate, key };
}

/** A gRPC message: no compression, length, content. */
function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Field 1 (`status`) of a HealthCheckResponse. */
function statusIn(answer: Buffer): number | undefined {
  return answer.length >= 7 && answer[5] === 0x08 ? answer[6] : undefined;
}
