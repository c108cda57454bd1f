// Tests that erasing a person does not unblock their wallet.
import { expect, it } from 'vitest';
import { blockWallet, unblockWallet } from '../../../src/usecases/access/operator-access.ts';
import { findTrace, forgetWallet } from '../../../src/usecases/access/forget-wallet.ts';
import { aPerson } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();

it('KE6, A20: a blocked wallet is erased only once it is unblocked', async () => {
  const { services } = inside;
  const { address } = await aPerson(services);
  await blockWallet(services, address);
  const trace = await findTrace(services, address);
  if (trace === null) throw new Error('It was here.');
  await expect(forgetWallet(services, address, trace)).rejects.toMatchObject({ code: 'forbidden' });
  expect(
    await inside.sql('select 1 from app_user where address = ? and blocked_at is not null', [address]),
  ).toHaveLength(1);
  await unblockWallet(services, address);
  await forgetWallet(services, address, trace);
  expect(await findTrace(services, address)).toBeNull();
});
