import * as z from 'zod';
import { absolutePath, anyPort, calendar, line, secret } from '../../sdk/index.js';

const account = z
  .string()
  .regex(/^[a-z_][a-z0-9_.-]{0,31}$/, { error: 'a user name has up to 32 lower-case letters, digits, ".", "-" and "_"' });

const unit = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,47}$/, { error: 'the name of a unit has up to 48 lower-case letters, digits and dashes' })
      .describe('Name of the unit, without `.service`'),
    description: line().optional().describe('Description; default: its name'),
    command: line(1000)
      .regex(/^(\/|"\/[^"]+"( |$)|'\/[^']+'( |$)).*(?<!\\)$/, {
        error: 'a command begins with the path of a program (in quotes if it has a space), and does not end in a backslash',
      })
      .describe('Program with its arguments, in the format of systemd: no shell; quote a path with a space'),
    user: account.optional().describe('User of the program; default: a temporary user'),
    directory: absolutePath().optional().describe('Working directory'),
    environment: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'the name of a variable has letters, digits and _' }),
        z.union([line(2000), secret()]),
      )
      .default({})
      .describe('Variables: texts and secrets'),
    restart: z.enum(['always', 'on-failure', 'no']).default('on-failure').describe('Restart policy'),
    schedule: calendar()
      .optional()
      .describe('Schedule, in the format of systemd: `daily`, `Mon *-*-* 03:30`; default: it runs continuously'),
    port: anyPort().optional().describe('TCP port of the program: an endpoint with the name of the unit'),
    write: z.array(absolutePath()).default([]).describe('Writable paths, in addition to /var/lib/NAME and its own /tmp'),
    hardened: z.boolean().default(true).describe('Whether the sandbox denies everything that services rarely need'),
  })
  .meta({ title: 'unit' });

export const unitsConfig = z
  .strictObject({
    units: z
      .array(unit)
      .refine((units) => new Set(units.map(({ name }) => name)).size === units.length, {
        error: 'each unit may be listed only once',
      })
      .default([])
      .describe('Units; a unit from here that is no longer named is stopped and removed'),
  })
  .meta({
    examples: [
      {
        units: [
          {
            name: 'app',
            command: '/srv/app/bin/app --port 8080',
            port: 8080,
            environment: { DB_PASSWORD: { generate: 'password' } },
          },
          { name: 'app-report', command: '/srv/app/bin/report', user: 'app', schedule: 'Mon *-*-* 06:00' },
        ],
      },
    ],
  });

export type UnitsConfig = z.output<typeof unitsConfig>;
export type Unit = UnitsConfig['units'][number];
