// The port of operations tools: a start names the variable of a port that is in use.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startOpsServer } from './ops-server.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { Services } from './usecases/services.ts';

it('says which variable to change where its port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const process = { services: {} as Services, listensOn: () => Promise.resolve() };
  await expect(
    startOpsServer(process, { host: '127.0.0.1', port, token: null, patience: {} }, {} as Telemetry),
  ).rejects.toThrow(`Port ${port} is in use: stop what uses it, or set METRICS_PORT to another.`);
});
