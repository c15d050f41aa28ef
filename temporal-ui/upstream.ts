import { addAbortListener } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';

const SOCKET = 'unix:';

/** Address of Temporal's Web UI, over HTTP at a URL or on a socket (`unix:PATH`). */
export interface Upstream {
  /** For the `Host` header, and before the paths in its redirects. */
  origin: string;
  /** Prefix of request paths. */
  base: string;
  /** Like the global fetch. */
  fetch(request: Request): Promise<Response>;
}

export function parseUpstream(target: string): Upstream {
  if (target.startsWith(SOCKET)) {
    const origin = 'http://localhost';
    return { origin, base: origin, fetch: (asked) => fetchFromSocket(target.slice(SOCKET.length), asked) };
  }
  const base = target.replace(/\/$/, '');
  return { origin: new URL(base).origin, base, fetch: (asked) => fetch(asked) };
}

/** Fetches from a socket, which the global fetch does not support. Redirects are returned, not followed. */
function fetchFromSocket(socketPath: string, asked: Request): Promise<Response> {
  const { pathname, search } = new URL(asked.url);
  return new Promise((resolve, reject) => {
    const headers = Object.fromEntries(asked.headers);
    const call = request({ socketPath, method: asked.method, path: `${pathname}${search}`, headers }, (answer) => {
      const status = answer.statusCode ?? 502;
      const head = new Headers();
      for (const [name, value] of Object.entries(answer.headersDistinct)) for (const one of value ?? []) head.append(name, one);
      const empty = asked.method === 'HEAD' || [204, 205, 304].includes(status);
      if (empty) answer.resume();
      resolve(new Response(empty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers: head }));
    });
    call.once('error', reject);
    addAbortListener(asked.signal, () => call.destroy());
    if (asked.body)
      Readable.fromWeb(asked.body as Parameters<typeof Readable.fromWeb>[0])
        .once('error', reject)
        .pipe(call);
    else call.end();
  });
}
