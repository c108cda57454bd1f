// Id schemas. Ids are UUIDs (version 7 when we make them); capitals are taken and mean the same.
import { z } from 'zod';

export const uuid = z.guid().toLowerCase();
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601, UTC' });
