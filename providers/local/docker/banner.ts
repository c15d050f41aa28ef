import { connect } from 'node:net';

/** Whether an SSH server greets at this port within `timeoutMs`. Docker's proxy accepts before the host listens, so the greeting counts. */
export function greets(address: string, port: number, timeoutMs = 2_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    let text = '';
    socket.setTimeout(timeoutMs, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.length >= 7) end(text.startsWith('SSH-2.0'));
    });
  });
}
