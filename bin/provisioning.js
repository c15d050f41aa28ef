#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

// Kept compiled code halves the time to start, where Node has it (22.1).
module.enableCompileCache?.();
const cli = new URL('../dist/cli.js', import.meta.url);
if (existsSync(cli)) await import(cli);
else {
  process.stderr.write('start provisioning: it is not built: run `npm install` in its folder, or `npm run build`\n');
  process.exitCode = 2;
}
