#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const dist = join(__dirname, '../dist');
if (existsSync(join(dist, 'start.cjs'))) require('../dist/start.cjs').start(dist);
else {
  process.stderr.write('start provisioning: it is not built: run `npm install` in its folder, or `npm run build`\n');
  process.exitCode = 2;
}
