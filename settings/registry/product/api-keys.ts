import type { Key } from '../registry.js';

/** Request limits of an API server. Changes apply at the next start of the server. */
export const API_KEYS: readonly Key[] = [
  {
    name: 'api.requestsPerAccount',
    type: { kind: 'number', min: 1, max: 10_000_000 },
    description: 'Maximum number of requests by an account to one instance.',
    unit: 'requests per minute',
    default: 18_000,
    scope: 'engine',
  },
  {
    name: 'api.requestsPerAddress',
    type: { kind: 'number', min: 1, max: 10_000_000 },
    description: 'Maximum number of requests from an address to one instance of the API server.',
    unit: 'requests per minute',
    default: 36_000,
    scope: 'engine',
  },
  {
    name: 'api.failedSignIns',
    type: { kind: 'number', min: 1, max: 1_000_000 },
    description: 'Maximum number of failed sign-ins from an address to all instances of the API server.',
    unit: 'sign-ins in ten minutes',
    default: 50,
    scope: 'engine',
  },
  {
    name: 'api.trustedProxies',
    type: { kind: 'text', form: { pattern: '^[0-9A-Fa-f:., ]*$', words: 'addresses such as 10.0.0.5, comma-separated' } },
    description: 'Addresses of load balancers whose `X-Forwarded-For` has the address of the caller, comma-separated.',
    otherwise: 'the address of the connection counts',
    scope: 'engine',
  },
];
