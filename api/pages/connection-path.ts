import { connectServer } from '../../app/logins/connect-server.js';
import { actionsOf } from '../../app/method.js';
import { PREFIX } from '../rest.js';
import type { JsonSchema } from '../routes/derive-place.js';
import { convertSchema } from '../routes/json-schema.js';
import { PATH_TEXT } from '../routes/route.js';

/** The path of the only WebSocket (api/connections). */
export const CONNECTION_PATH = `${PREFIX}/workspaces/{workspace}/infras/{infra}/servers/{server}/connection`;

const FORM =
  'Forwards bytes to the SSH port of a server, as binary messages of a WebSocket. Ask by GET with `Upgrade: websocket` and the token in `Authorization`. A refusal before the protocol changes is a problem.';

/**
 * Describes the path of the WebSocket in an OpenAPI document. OpenAPI supports only HTTP, so the request is below
 * `x-websocket`. Programs that call all operations of a document do not try this one.
 *
 * @param describeCodes the answers of these error codes, by status
 */
export function describeConnectionPath(describeCodes: (codes: readonly string[]) => JsonSchema): JsonSchema {
  const method = connectServer(async () => {});
  const { properties = {} } = convertSchema(method.input, method.name, 'input').schema as { properties?: JsonSchema };
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: 'path', required: true },
    schema: { pattern: PATH_TEXT, ...(schema as JsonSchema) },
  }));
  return {
    summary: method.summary,
    description: FORM,
    parameters,
    'x-websocket': {
      verb: 'GET',
      'x-permission': [...actionsOf(method)],
      responses: { 101: { description: 'The protocol changes; bytes follow' }, ...describeCodes(method.errors) },
    },
  };
}
