import { request as overHttp } from 'node:http';
import { request as overTls } from 'node:https';
import { ANSWER_MS, CONNECT_MS } from './key-wrapper.js';

/** Maximum size of an answer in bytes; an answer with a key needs a few hundred. */
const MOST = 64 * 1024;

interface Posted {
  headers: Record<string, string>;
  body: string;
  /** PEM of the trusted authorities. Default: those of the machine. */
  ca?: string;
}

/** Sends JSON once, without redirects. Rejects if there is no answer in time. */
export function post(url: URL, { headers, body, ca }: Posted): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? overTls : overHttp;
    const options = {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
      ...(ca ? { ca } : {}),
    };
    const asked = send(url, options, (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on('data', (part: Buffer) => {
        size += part.length;
        if (size > MOST) asked.destroy(new Error('its answer is too long'));
        else parts.push(part);
      });
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
    });
    const late = (ms: number) => () => asked.destroy(new Error(`no answer within ${ms / 1000} s`));
    const connecting = setTimeout(late(CONNECT_MS), CONNECT_MS);
    const answering = setTimeout(late(ANSWER_MS), ANSWER_MS);
    asked.once('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    });
    asked.once('close', () => {
      clearTimeout(connecting);
      clearTimeout(answering);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
