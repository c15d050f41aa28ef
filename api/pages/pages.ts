import { readFile } from 'node:fs/promises';
import { PAGE_POLICY } from '../response/security-headers.js';
import type { Route } from '../routes/route.js';
import { describeApi } from './openapi.js';

/** Files of the page with the reference, by their paths on this machine. */
export interface PageFiles {
  script: string;
  style: string;
}

interface Content {
  routes: readonly Route[];
  version: { version: string; build: string };
  files?: PageFiles | undefined;
  /** Rejects if the platform does not answer. */
  ready(): Promise<void>;
  onNotReady(error: unknown): void;
}

/** How long the platform may take to say that it is ready, in milliseconds: probes wait no longer. */
const READY_MS = 3_000;

const INDEX = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Provisioning API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Without a validator, which would send the document to its vendor. */
const START = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', validatorUrl: null, deepLinking: true });
`;

/**
 * Creates the handler of paths without a token: health, version, the OpenAPI document and the page that shows it. They
 * disclose nothing about the content of the platform.
 *
 * @returns undefined for any other path
 */
export function describePages({ routes, version, files, ready, onNotReady }: Content) {
  let document: string | undefined;
  const fromFile = async (path: string, type: string) => page(new Uint8Array(await readFile(path)), type, 'public, max-age=3600');
  const pages: Record<string, () => Response | Promise<Response>> = {
    '/health/live': () => Response.json({ status: 'live' }),
    '/health/ready': async () => {
      try {
        await inTime(ready());
        return Response.json({ status: 'ready' });
      } catch (error) {
        onNotReady(error);
        return Response.json({ status: 'not-ready' }, { status: 503 });
      }
    },
    '/version': () => Response.json({ ...version, idempotencyKeys: true }, { headers: { 'idempotency-key': 'supported' } }),
    '/openapi.json': () => {
      document ??= JSON.stringify(describeApi(routes, version.version));
      return page(document, 'application/json');
    },
    ...(files && {
      '/docs': () => page(INDEX, 'text/html; charset=utf-8'),
      '/docs/start.js': () => page(START, 'text/javascript; charset=utf-8'),
      '/docs/swagger-ui.css': () => fromFile(files.style, 'text/css; charset=utf-8'),
      '/docs/swagger-ui-bundle.js': () => fromFile(files.script, 'text/javascript; charset=utf-8'),
    }),
  };
  return async (path: string, verb: string): Promise<Response | undefined> => {
    const known = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (!known) return undefined;
    if (verb === 'GET') return known();
    return verb === 'HEAD'
      ? new Response(null, await known())
      : new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
  };
}

const page = (body: string | Uint8Array<ArrayBuffer>, type: string, caching = 'no-cache'): Response =>
  new Response(body, {
    headers: { 'content-type': type, 'content-security-policy': PAGE_POLICY, 'cache-control': caching },
  });

function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${READY_MS / 1_000} s`)), READY_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
