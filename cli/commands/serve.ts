import { runServer } from '../../client/engine-program/run-server.js';
import { defineCommand } from '../command.js';
import { columns, paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';

interface Ready {
  url: string;
  code?: string;
  authority?: string;
}

export const command = defineCommand({
  options: [
    { flags: '--listen <address>', about: 'address and port (default: 127.0.0.1:8443; port 0: a free one)' },
    { flags: '--certificate <file>', about: 'certificate with its chain, as PEM; read again when it changes' },
    { flags: '--key <file>', about: 'private key of the certificate, as PEM' },
    { flags: '--host-name <name>', about: 'further host name of the server; may be repeated', repeated: true },
    { flags: '--http', about: 'plain HTTP, only on loopback' },
  ],
  details:
    'Serves every method of the platform over HTTPS until Ctrl-C or SIGTERM. REST is under /v1, its OpenAPI document at /openapi.json, and a reference at /docs. /health/live, /health/ready and /version need no token. Without --certificate the home makes a certificate, which is only accepted on loopback. Without an administrator the server prints a code: POST /v1/first-administrator returns the first token for it, once. docs/operate/api-server.md describes it.',
  examples: [
    'serve',
    'serve --listen 0.0.0.0:8443 --host-name api.example.org --certificate /etc/ssl/api.pem --key /etc/ssl/api.key',
    'serve --http --listen 127.0.0.1:0 --json',
  ],
  async run(session, { flags: { listen, certificate, key, hostName = [], http } }) {
    const given = Object.entries({ listen, certificate, key }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`],
    );
    const args = [...given, ...hostName.map((name) => `--host-name=${name}`), ...(http ? ['--http'] : [])];
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

    function describeReady({ url, code, authority }: Ready): string {
      const rows = [
        ['API', url],
        ['reference', `${url}/docs`],
        ...(code === undefined ? [] : [['code', code]]),
        ...(authority === undefined ? [] : [['trust', authority]]),
      ];
      const paint = paintFor(session.out);
      return `${columns(rows.map(([title = '', text = '']) => [paint('dim', title), text])).join('\n')}\n`;
    }
  },
});
