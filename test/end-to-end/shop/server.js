// A small application. It answers with its number, which it reads through its database.
const { existsSync, readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { Pool } = require('pg');

const number = readFileSync('number', 'utf8');
const pool = new Pool({ max: 5 });
pool.on('error', () => {});
const server = createServer(async (request, response) => {
  try {
    if (request.url === '/healthz' && existsSync('sick')) throw new Error('this release is sick');
    const { rows } = await pool.query('SELECT $1::text AS number, count(*) FROM visits', [number]);
    response.end(rows[0].number);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
// Longer than the balancer keeps a connection, so that only the balancer closes it and never uses a closing one.
server.keepAliveTimeout = 120_000;
server.headersTimeout = 125_000;
server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  // Node 18 leaves idle connections open, and the balancer keeps them. The stop would then wait for systemd's time-out.
  server.closeIdleConnections();
});
