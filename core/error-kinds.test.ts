import { describe, expect, test } from 'vitest';
import { CODES_BY_KIND, type ErrorKind, httpStatusOf, kindOf, kindsByCode, mcpErrorCodeOf } from './error-kinds.js';
import { TRANSIENT } from './errors.js';
import { exitCodeOfCommand, exitCodeOfError, exitCodeOfKind } from './exit-codes.js';

describe('what follows from a kind', () => {
  test.each<[ErrorKind, exit: number, status: number, mcp: number]>([
    ['bad-input', 2, 400, -32602],
    ['unauthenticated', 2, 401, -32001],
    ['forbidden', 2, 403, -32003],
    ['not-found', 2, 404, -32002],
    ['conflict', 2, 409, -32009],
    ['too-large', 2, 413, -32013],
    ['too-many', 3, 429, -32029],
    ['unavailable', 3, 503, -32053],
    ['internal', 1, 500, -32603],
  ])('%s ends with %s, and is %s over HTTP and %s over MCP', (kind, exit, status, mcp) => {
    expect([exitCodeOfKind(kind), httpStatusOf(kind), mcpErrorCodeOf(kind)]).toEqual([exit, status, mcp]);
  });

  test('two kinds are never one status, and codes of MCP are those of JSON-RPC or of the range for servers', () => {
    const kinds = Object.keys(CODES_BY_KIND) as ErrorKind[];
    expect(new Set(kinds.map(httpStatusOf)).size).toBe(kinds.length);
    expect(new Set(kinds.map(mcpErrorCodeOf)).size).toBe(kinds.length);
    for (const code of kinds.map(mcpErrorCodeOf))
      expect([-32602, -32603].includes(code) || (code <= -32000 && code >= -32099)).toBe(true);
  });
});

describe('the kind of a code', () => {
  test('is one', () => {
    const codes = Object.values(CODES_BY_KIND).flatMap((text) => text.trim().split(/\s+/));
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect(codes.filter((code) => !/^[a-z][a-z0-9-]+$/.test(code))).toEqual([]);
    expect(kindsByCode().size).toBe(codes.length);
  });

  test('decides, whatever the blame; the exit code follows', () => {
    for (const blame of ['user', TRANSIENT, 'bug'] as const) {
      expect(kindOf({ code: 'unknown-infra', blame })).toBe('not-found');
      expect(exitCodeOfError({ code: 'no-worker', blame })).toBe(3);
      expect(exitCodeOfError({ code: 'step-failed', blame })).toBe(1);
    }
    expect(exitCodeOfCommand({ code: 'not-followed', blame: TRANSIENT })).toBe(8);
  });

  test('that this release does not know follows from the blame', () => {
    expect(kindOf({ code: 'of-tomorrow', blame: 'user' })).toBe('bad-input');
    expect(kindOf({ code: 'of-tomorrow', blame: 'user', absent: true })).toBe('unavailable');
    expect(kindOf({ code: 'of-tomorrow', blame: TRANSIENT })).toBe('unavailable');
    expect(kindOf({ code: 'of-tomorrow', blame: 'bug' })).toBe('internal');
    // No name of an object's own.
    expect(kindOf({ code: 'constructor', blame: 'bug' })).toBe('internal');
  });
});
