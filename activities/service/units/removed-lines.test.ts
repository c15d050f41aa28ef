import { expect, test } from 'vitest';
import { plainLines } from './removed-lines.js';

const AFTER = [
  'maxmemory 128mb',
  'maxmemory-policy allkeys-lru',
  'requirepass (secret pw)',
  'user default (secret acl)',
  'admin (secret web)',
  'bind 10.0.0.7',
  'dir /var/lib/redis',
  '"port": 8080,',
  'value: plain',
  'port 6379',
].join('\n');

test.each([
  'maxmemory 64mb',
  'maxmemory-policy noeviction',
  'bind 10.0.0.6:6379',
  '  "port": 80,',
  'save 900 1',
  'port 6380',
  'appendonly=yes',
  'dir /srv/redis',
  '',
])('a plain line is shown: %s', (line) => expect(plainLines(AFTER)(line)).toBe(true));

test.each([
  // By its name, by what has a secret now, and by what it looks like.
  'password of-yesterday',
  'requirepass 12345',
  'pin 1234',
  'unlock 482913',
  'rocommunity public',
  'user other on',
  'admin hunter',
  'operator hunter',
  'maxmemory s3cr3t-of-old',
  'value: Tr0ub4dor&3',
  'url http://app:hunter@db/x',
  'hook /services/T0AB12CD/B0EF34GH',
  'MIIEvQIBADANBgkqhkiG9w0BAQEF',
  '-----BEGIN PRIVATE KEY-----',
  'hunter',
])('a line that may hold a former secret is not: %s', (line) => expect(plainLines(AFTER)(line)).toBe(false));
