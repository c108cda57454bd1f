// Sends any bytes to a server, and reads everything until it closes the connection.
import { connect } from 'node:net';

export async function rawAnswer(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server may close the connection while we send: what it sent counts.
  socket.on('error', () => undefined);
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}
