// Creates the tables of this release. The former release must still work with them.
const { existsSync } = require('node:fs');
const { Client } = require('pg');

(async () => {
  const client = new Client();
  await client.connect();
  await client.query('CREATE TABLE IF NOT EXISTS visits (at timestamptz NOT NULL DEFAULT now())');
  await client.query('CREATE TABLE IF NOT EXISTS migrations (release text PRIMARY KEY)');
  if (existsSync('broken')) await client.query('SELECT nothing FROM nowhere');
  await client.query('INSERT INTO migrations VALUES ($1)', [process.env.RELEASE]);
  await client.end();
})().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
