// Receives webhooks and sends an event for each, which wakes the function that waits for the item.
import { listen } from './countersign.ts';
import { inngest } from './functions.ts';

listen(async (item, _event, webhookId) => {
  // Inngest ignores an event whose ID it has seen in the last 24 hours. Later repeats wake nobody.
  await inngest.send({ id: webhookId, name: 'countersign/item.ended', data: { item_id: item.id } });
});
