// Records a sign-in from a device that is new to the account: neither this browser nor one of its kind was there before. Computers of a
// ward forget their cookies each night, and must not have people warned each morning.

import type { PageContext } from '#openid/sign-in/page-context.ts';
import { deviceDetail } from '#shared/device.ts';

/** The kind of a browser that does not name itself. */
const UNKNOWN = 'unknown';

/** To be called when a sign-in succeeded, before the browser becomes known by it. Nothing is recorded of the first sign-in ever. */
export async function noteDevice(
  { req, interaction, seenDevices, devices, audit }: PageContext,
  { accountId, email }: { accountId: string; email: string },
): Promise<void> {
  const details = deviceDetail(req);
  if (!(await seenDevices.note(accountId, details.device ?? UNKNOWN))) return;
  if ((await devices.deviceOf(req, email)) !== undefined) return;
  const about = { account: accountId, client: interaction.client.id, address: req.ip, details };
  await audit.record({ event: 'sign-in.new-device', actor: `account:${accountId}`, ...about });
}
