import * as z from 'zod';
import { anyPort, network } from '../../sdk/index.js';

export const firewallConfig = z
  .strictObject({
    ssh: z
      .array(anyPort())
      .min(1, { error: 'without a rule for the SSH port, later logins are impossible' })
      .default([22])
      .describe('TCP ports of SSH, open to all'),
    allow: z
      .array(
        z.strictObject({
          port: anyPort().describe('Port to open'),
          protocol: z.enum(['tcp', 'udp']).default('tcp').describe('Transport protocol'),
          from: z.array(network()).min(1).optional().describe('Allowed networks; default: all'),
        }),
      )
      .default([])
      .describe('Ports to open in addition to SSH and the ports of taskservs'),
    servicesFrom: z
      .array(network())
      .min(1)
      .optional()
      .describe('Networks that reach the taskservs of this server; default: its private network'),
  })
  .meta({
    examples: [
      {
        allow: [
          { port: 51820, protocol: 'udp' },
          { port: 8080, from: ['192.0.2.0/24'] },
        ],
      },
    ],
  });
