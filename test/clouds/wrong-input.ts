import { remains } from './aws/inspect.js';
import { startAws } from './aws/stand-in.js';
import { behind, leftIn } from './hetzner/behind.js';
import { startHetzner } from './hetzner/stand-in.js';
import { behind as behindUpCloud } from './upcloud/behind.js';
import { startUpCloud } from './upcloud/stand-in.js';

/** Stand-in's account for tests of wrong input. */
export interface OpenAccount {
  /** Environment variables that describe the cloud to the worker. */
  env: Record<string, string>;
  /** Lists its resources. */
  left(): Promise<string[]>;
  /** Returns the resources that cost something. */
  paid(): Promise<string[]>;
  /** Sets or removes a limit that prevents further servers. */
  fill(full: boolean): Promise<void>;
  close(): Promise<void>;
}

interface Unsold {
  title: string;
  server: Record<string, string>;
  path: string;
  message: RegExp;
  suggestion: RegExp;
}

/** Word that is close to a valid one. */
const misspelt = (key: 'plan' | 'image' | 'zone', written: string, meant: string, title = `the ${key}`): Unsold => ({
  title,
  server: { [key]: written },
  path: `servers[0].${key}`,
  message: new RegExp(` (has no|does not sell the) ${key} "${written}"`),
  suggestion: new RegExp(`"${meant}"`),
});

export interface AccountOfTest {
  provider: string;
  open(): Promise<OpenAccount>;
  /** Credentials of further accounts, each with a different fault. */
  wrong: Record<string, string>;
  credentials: { title: string; name: string; code: string; why: RegExp; hint: RegExp }[];
  unsold: Unsold[];
  /** Unused image id. */
  image: string;
  quota: RegExp;
  /** Returns the variables for another address, with credentials. */
  at(url: string): Record<string, string>;
  html: { code: string; why: RegExp };
}

const account = (left: () => Promise<string[]>, rest: Pick<OpenAccount, 'env' | 'fill' | 'close'>): OpenAccount => ({
  ...rest,
  left,
  paid: async () => (await left()).filter((what) => /server|instance|volume|storage|address|_ip/.test(what)),
});

/** Rows of tables, as `table` for each. */
const rows = (tables: Record<string, number>): string[] =>
  Object.entries(tables).flatMap(([table, size]) => Array.from({ length: size }, () => table));

/** The three clouds, with the faults of each. */
export const ACCOUNTS: readonly AccountOfTest[] = [
  {
    provider: 'hetzner',
    async open() {
      const standIn = await startHetzner();
      return account(async () => rows(leftIn(standIn)), {
        env: { HCLOUD_TOKEN: standIn.token, HCLOUD_ENDPOINT: standIn.endpoint },
        fill: behind(standIn).fill ?? (async () => {}),
        close: () => standIn.close(),
      });
    },
    wrong: { HCLOUD_TOKEN_REFUSED: 'token-of-nobody' },
    credentials: [
      {
        title: 'refused',
        name: 'refused',
        code: 'credentials',
        why: /unable to authenticate \[unauthorized, HTTP 401, request \S+\]/,
        hint: /HCLOUD_TOKEN/,
      },
      {
        title: 'missing',
        name: 'nobody',
        code: 'no-credentials',
        why: /no token/,
        hint: /HCLOUD_TOKEN_NOBODY.*hetzner\/nobody\/token/,
      },
    ],
    unsold: [
      misspelt('plan', 'cx24', 'cx23'),
      misspelt('image', 'debian-122', 'debian-12'),
      misspelt('zone', 'fsn11', 'fsn1'),
      {
        title: 'a size in a zone',
        server: { plan: 'small', zone: 'ash' },
        path: 'servers[0].plan',
        message: /"small" \(cx23\) is not sold in ash/,
        suggestion: /it is in fsn1, hel1, nbg1; ash has cpx\d1/,
      },
      {
        title: 'a size in a region',
        server: { plan: 'small', region: 'us-west' },
        path: 'servers[0].plan',
        message: /"small" \(cx23\) is not sold in hil/,
        suggestion: /hil has cpx\d1/,
      },
    ],
    image: '99999999',
    quota: /server limit exceeded \[resource_limit_exceeded, HTTP 403, request \S+\]/,
    at: (url) => ({ HCLOUD_TOKEN: 'any-token', HCLOUD_ENDPOINT: `${url}/v1` }),
    html: { code: 'hetzner-unreadable', why: /HTML/ },
  },
  {
    provider: 'upcloud',
    async open() {
      const standIn = await startUpCloud();
      const left = async () =>
        rows(
          Object.fromEntries(
            Object.entries(standIn.world.account).flatMap(([name, value]) => (value instanceof Map ? [[name, value.size]] : [])),
          ),
        );
      return account(left, {
        env: { UPCLOUD_TOKEN: standIn.token, UPCLOUD_API_URL: standIn.url },
        fill: behindUpCloud(standIn).fill,
        close: () => standIn.close(),
      });
    },
    wrong: {
      UPCLOUD_TOKEN_REFUSED: 'ucat_NOBODY',
      UPCLOUD_TOKEN_BOTH: 'ucat_BOTH',
      UPCLOUD_USERNAME_BOTH: 'someone',
      UPCLOUD_USERNAME_HALF: 'someone',
    },
    credentials: [
      {
        title: 'refused',
        name: 'refused',
        code: 'credentials',
        why: /Authentication failed.*\[AUTHENTICATION_FAILED, GET \S+, HTTP 401/,
        hint: /token, or user name/,
      },
      { title: 'missing', name: 'nobody', code: 'no-credentials', why: /no credentials/, hint: /UPCLOUD_TOKEN_NOBODY/ },
      { title: 'of both kinds', name: 'both', code: 'credentials', why: /token is set, and .*username too/, hint: /leave either/ },
      { title: 'half', name: 'half', code: 'credentials', why: /password is missing/, hint: /set both/ },
    ],
    unsold: [
      misspelt('plan', '1xCPU-22GB', '1xCPU-2GB'),
      misspelt('image', 'debian-122', 'debian-12'),
      misspelt('zone', 'de-fra11', 'de-fra1'),
      {
        title: 'a plan in a zone',
        server: { plan: '1xCPU-1GB', zone: 'us-sjo1' },
        path: 'servers[0].plan',
        message: /"1xCPU-1GB" is not sold in us-sjo1/,
        suggestion: /it is in de-fra1, .*; us-sjo1 has 1xCPU-2GB/,
      },
    ],
    image: '01000000-0000-4000-8000-000020070999',
    quota: /core limit.*\[SERVER_CORE_LIMIT_REACHED, POST \S+, HTTP 403/,
    at: (url) => ({ UPCLOUD_TOKEN: 'ucat_ANY', UPCLOUD_API_URL: url }),
    html: { code: 'upcloud-unreachable', why: /JSON/ },
  },
  {
    provider: 'aws',
    async open() {
      const standIn = await startAws({ regions: ['eu-central-1', 'eu-north-1'] });
      const ec2 = await standIn.behind();
      return account(
        async () => [...(await remains(ec2)), ...standIn.cloud.placements.names.map((name) => `placement group ${name}`)],
        {
          env: standIn.env,
          fill: async (full) => {
            standIn.cloud.full = full;
          },
          close: () => standIn.close(),
        },
      );
    },
    wrong: {
      AWS_ACCESS_KEY_ID_REFUSED: 'AKIANOBODY',
      AWS_SECRET_ACCESS_KEY_REFUSED: 'secret-of-nobody',
      AWS_ACCESS_KEY_ID_HALF: 'AKIAHALF',
    },
    credentials: [
      {
        title: 'refused',
        name: 'refused',
        code: 'credentials',
        why: /not able to validate.* \(AuthFailure, request \S+\)/,
        hint: /access key/,
      },
      {
        title: 'missing',
        name: 'nobody',
        code: 'no-credentials',
        why: /has no key/,
        hint: /AWS_ACCESS_KEY_ID_NOBODY.*profile "nobody"/,
      },
      { title: 'half', name: 'half', code: 'credentials', why: /is incomplete/, hint: /set both/ },
    ],
    unsold: [
      misspelt('plan', 't3.smal', 't3.small'),
      misspelt('image', 'debian-122', 'debian-12'),
      misspelt('zone', 'eu-centrall-1', 'eu-central-1', 'a region'),
      misspelt('zone', 'eu-central-1z', 'eu-central-1'),
      {
        title: 'a plan in a zone',
        server: { plan: 'c6a.large', zone: 'eu-north-1a' },
        path: 'servers[0].plan',
        message: /"c6a.large" is not sold in eu-north-1a/,
        suggestion: /it is in eu-central-1; eu-north-1a has \w+\.large/,
      },
    ],
    image: 'ami-00000000',
    quota: /current limit.* \(VcpuLimitExceeded, request \S+\)/,
    at: (url) => ({
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIAANY',
      AWS_SECRET_ACCESS_KEY: 'any-secret-key',
      AWS_EC2_METADATA_DISABLED: 'true',
    }),
    html: { code: 'aws-answer', why: /HTTP 200 and an unknown format/ },
  },
];
