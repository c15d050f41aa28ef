import { runServer } from '../../client/engine-program/run-server.js';
import { defineCommand } from '../command.js';
import { columns, paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';
import { formatServeArguments, rowsOfServer, SERVE_OPTIONS } from '../shared/platform/serve-options.js';

interface Ready {
  url: string;
  everywhere?: number;
  code?: string;
  authority?: string;
  compat?: string;
}

export const command = defineCommand({
  options: [...SERVE_OPTIONS],
  details:
    'Serves every method of the platform over HTTPS until Ctrl-C or SIGTERM. REST is under /v1, its OpenAPI document at /openapi.json, and a reference at /docs. /health/live, /health/ready and /version need no token. Without --certificate the home makes a certificate, which is only accepted on loopback. Without an administrator the server prints a code: `provisioning login --code` exchanges it for the first token, once. docs/operate/api-server.md describes it.',
  examples: [
    'serve',
    'serve --listen 0.0.0.0:8443 --host-name api.example.org --certificate /etc/ssl/api.pem --key /etc/ssl/api.key',
    'serve --http --listen 127.0.0.1:0 --json',
  ],
  async run(session, { flags }) {
    const args = formatServeArguments(flags, session.cwd);
    const stop = new AbortController();
    const forget = session.onInterrupt(() => stop.abort());
    const end = () => stop.abort();
    process.once('SIGTERM', end);
    try {
      return await runServer<Ready>(args, {
        env: { ...session.env, PROVISIONING_HOME: session.home.root },
        err: session.err,
        signal: stop.signal,
        onReady: (ready) => (session.json ? writeDocument(session, ready) : session.out.write(describeReady(ready))),
      });
    } finally {
      process.off('SIGTERM', end);
      forget();
    }

    function describeReady(ready: Ready): string {
      const paint = paintFor(session.out);
      return `${columns(rowsOfServer(ready).map(([title = '', text = '']) => [paint('dim', title), text])).join('\n')}\n`;
    }
  },
});
