import { Agent, get } from 'node:http';
import { get as getByTls, Agent as TlsAgent } from 'node:https';

/** Results of a steady load. */
export interface LoadReport {
  sent: number;
  ok: number;
  /**
   * Requests that were repeated because their kept-alive connection was closed just before. A server may close an idle
   * connection at any time, haproxy does so at a reload, and clients then repeat a GET (RFC 9110, 9.2.2).
   */
  again: number;
  /** Reasons of failed requests, with counts. */
  failed: Record<string, number>;
  /** Number of answers with status 200 and an unexpected body. */
  wrong: number;
  /** Longest time to an answer, in milliseconds. */
  slowestMs: number;
}

/** TLS target at an address: the name of its certificate, and the only trusted authority, in PEM. */
export interface AskedByTls {
  servername: string;
  ca: string;
}

/** Time limit of a request, in milliseconds. */
const PATIENCE_MS = 15_000;

/**
 * Sends requests at a steady pace until stopped, every other one over a kept-alive connection. Then waits for pending
 * requests. Never exceeds `perSecond`.
 *
 * @param rightNow returns the currently valid bodies when a request is sent; default: any body
 * @param byTls for a `url` with `https:`; an answer with another certificate is a failed request
 */
export function steadyLoad(
  url: string,
  perSecond: number,
  rightNow?: () => readonly string[],
  byTls?: AskedByTls,
): { stop(): Promise<LoadReport>; soFar(): LoadReport } {
  const report: LoadReport = { sent: 0, ok: 0, again: 0, failed: {}, wrong: 0, slowestMs: 0 };
  const kept = { keepAlive: true, maxSockets: 50 };
  const keeping = byTls ? new TlsAgent(kept) : new Agent(kept);
  const options = { timeout: PATIENCE_MS, ...(byTls && { ...byTls, headers: { host: byTls.servername } }) };
  const open = new Set<Promise<void>>();
  const began = Date.now();

  const send = (agent: Agent | TlsAgent | false) =>
    new Promise<void>((resolve) => {
      const started = Date.now();
      const right = rightNow?.();
      let body = '';
      const settle = (why?: string) => {
        if (why === undefined && right && !right.includes(body)) report.wrong++;
        else if (why === undefined) report.ok++;
        else report.failed[why] = (report.failed[why] ?? 0) + 1;
        report.slowestMs = Math.max(report.slowestMs, Date.now() - started);
        resolve();
      };
      const request = (byTls ? getByTls : get)(url, { ...options, agent }, (response) => {
        response.on('error', (error) => settle(error.message));
        response.on('end', () => settle(response.statusCode === 200 ? undefined : `status ${response.statusCode}`));
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part;
        });
      });
      request.on('timeout', () => request.destroy(new Error('no answer')));
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (!request.reusedSocket || error.code !== 'ECONNRESET') return settle(error.message);
        report.again++;
        void send(false).then(resolve);
      });
    });

  const timer = setInterval(() => {
    for (const due = ((Date.now() - began) / 1_000) * perSecond; report.sent < due; ) {
      const one = send(report.sent++ % 2 === 0 ? keeping : false);
      open.add(one);
      void one.then(() => open.delete(one));
    }
  }, 5);

  return {
    soFar: () => structuredClone(report),
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      keeping.destroy();
      return report;
    },
  };
}
