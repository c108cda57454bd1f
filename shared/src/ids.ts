// Id schemas. Ids are UUIDs (version 7 when we make them), compared without regard to case.
import { z } from 'zod';

export const uuid = z.guid();
export const timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601, UTC' });
