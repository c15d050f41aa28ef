/**
 * What another user of this machine tries at ports: run as that user, with files of that user's alone.
 * Arguments: a PEM file with a certificate and key of the stranger's own, then ports. Prints a line of JSON:
 * for each port and each way what came back; "answered…" is a way in.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:http2';

const [own = '', ...ports] = process.argv.slice(2);
const pem = readFileSync(own);
const HEALTH = '/grpc.health.v1.Health/Check';
const LIST = '/temporal.api.workflowservice.v1.WorkflowService/ListNamespaces';

function web(port) {
  return new Promise((resolve) => {
    const call = request({ port, host: '127.0.0.1', path: '/api/v1/namespaces', timeout: 3_000 }, (answer) => {
      answer.resume();
      // A TLS server answers plain HTTP with a complaint of its own.
      resolve(answer.statusCode === 400 ? 'refused: 400' : `answered ${answer.statusCode}`);
    });
    call.on('error', (error) => resolve(`refused: ${error.code ?? error.message}`));
    call.on('timeout', () => call.destroy(new Error('silence')));
    call.end();
  });
}

function grpc(origin, path, options = {}) {
  return new Promise((resolve) => {
    const session = connect(origin, { rejectUnauthorized: false, ...options });
    const end = (text) => {
      clearTimeout(timer);
      session.destroy();
      resolve(text);
    };
    const timer = setTimeout(() => end('refused: silence'), 3_000);
    session.on('error', (error) => end(`refused: ${error.code ?? error.message}`));
    session.on('close', () => end('refused: closed'));
    const call = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
    call.on('response', (headers) => end(`answered ${headers[':status']} grpc ${headers['grpc-status'] ?? 0}`));
    call.on('error', (error) => end(`refused: ${error.code ?? error.message}`));
    call.end(Buffer.alloc(5));
  });
}

const found = {};
for (const port of ports) {
  const ways = { web: await web(port) };
  for (const path of [HEALTH, LIST]) {
    ways[`plain ${path}`] = await grpc(`http://127.0.0.1:${port}`, path);
    ways[`TLS ${path}`] = await grpc(`https://127.0.0.1:${port}`, path);
    ways[`TLS, own certificate ${path}`] = await grpc(`https://127.0.0.1:${port}`, path, { cert: pem, key: pem });
  }
  found[port] = ways;
}
console.log(JSON.stringify(found));
