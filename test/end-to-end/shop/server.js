// A small application: answers with its number, which it finds by way of its database.
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
// Longer than the balancer keeps a connection: it is the one who ends it, and sends nothing into one that ends.
server.keepAliveTimeout = 120_000;
server.headersTimeout = 125_000;
server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  // Node 18 leaves those open, and the balancer keeps them: the end would wait for systemd's patience.
  server.closeIdleConnections();
});
