import { resolve } from 'node:path';
import { checkServerUrl, readCa } from '../../../client/http/connection.js';
import { inputError } from '../../../core/errors.js';
import { checkContextName, findContext, keepContext, removeToken } from '../../../home/contexts/contexts.js';
import { checkWorkspaceName } from '../../../home/workspaces/which.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the context']],
  options: [
    { flags: '--server <url>', about: 'address of the server: https://HOST[:PORT]' },
    { flags: '--ca <file>', about: 'certificates of the authority that the server is trusted by, in PEM; they are copied' },
    { flags: '--replace', about: 'replace the context of this name; another server needs another login' },
  ],
  details:
    'A context is a server of the API under a name. With `--workspace` it also has the workspace of commands that name none. Log in with `provisioning login --context NAME`, and choose the context with `provisioning context use NAME` or `--context NAME`.',
  examples: [
    'context add prod --server https://provisioning.example.org',
    'context add lab --server https://127.0.0.1:8443 --ca ca.pem --workspace lab',
  ],
  async run(session, { args: [name], flags: { server: given, ca: file, workspace, replace } }) {
    checkContextName(name);
    if (given === undefined) throw missing(name);
    const server = checkServerUrl(given);
    const former = findContext(session.home, name);
    if (former && !replace) throw exists(name, former.server);
    const ca = file === undefined ? undefined : readCa(resolve(session.cwd, file));
    if (workspace !== undefined) checkWorkspaceName(workspace);
    // A token is sent only to the server of its login.
    if (former && (former.server !== server || former.ca !== ca)) removeToken(session.home, name);
    keepContext(session.home, name, { server, ...(ca !== undefined && { ca }), ...(workspace !== undefined && { workspace }) });
    if (session.json) writeDocument(session, { context: name, server, ...(workspace !== undefined && { workspace }) });
    else session.out.write(`context ${name}: ${server}\nNext: provisioning login --context ${name}\n`);
    return 0;
  },
});

const missing = (on: string) =>
  inputError({
    code: 'bad-arguments',
    what: 'add the context',
    on,
    why: '--server is missing',
    hint: '--server https://HOST[:PORT]',
  });

const exists = (on: string, server: string) =>
  inputError({
    code: 'context-exists',
    what: 'add the context',
    on,
    why: `there is a context of this name, for ${server}`,
    hint: '--replace, or another name',
  });
