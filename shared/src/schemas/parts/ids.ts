// ID schemas. IDs are UUIDs (the service creates version 7); capital letters are accepted and equivalent.
import { z } from 'zod';

export const uuid = z.guid().toLowerCase();
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601, UTC' });
