// The endpoints that the OpenAPI document describes, each with its tag, its examples and what its answers carry.
import type { Endpoint } from '@countersign/shared/api/endpoint';
import { receiveInbound } from '@countersign/shared/api/inbound';
import { readOpenApi } from '@countersign/shared/api/openapi';
import { answerCases, listCases, readRegression, startRegression } from '@countersign/shared/api/regressions';
import { listEvents, listItems, readItem, submitBatch, submitItem } from '@countersign/shared/api/public';
import type { ZodOpenApiHeadersObject } from 'zod-openapi';
import * as story from './examples.ts';
import * as rerun from './examples-regression.ts';
import { HEADER } from './headers.ts';

export const TAGS = {
  Items: 'Submit items and read them back.',
  Events: 'Final decisions in order, for consumers that were down.',
  Regressions: 'Answer anew what people edited or rejected, without consequences, and see what would still fail.',
  Inbound: 'Submissions by a signed webhook instead of an API key.',
  Webhooks: 'What this service sends to the project’s webhook URL.',
  Description: 'This document.',
} as const;
export type Tag = keyof typeof TAGS;

/** Examples by name; the key is what tools show when there is no summary. */
export type Examples = Record<string, { summary: string; value: unknown }>;

export interface SuccessAnswer {
  description: string;
  examples: Examples;
  /** What it carries beside the headers of every answer. */
  headers?: ZodOpenApiHeadersObject;
}

export interface Operation {
  endpoint: Endpoint;
  tag: Tag;
  /** Examples of the request body. */
  requests?: Examples;
  /** The answer of the endpoint's own status. */
  answer: SuccessAnswer;
  /** Other successful answers by status, of the same shape. */
  otherAnswers?: Record<number, SuccessAnswer>;
}

const SUBMISSIONS: Examples = {
  plain: { summary: 'A text for a person to check', value: story.queuedSubmission },
  flagged: { summary: 'A structured suggestion with a risk flag', value: story.flaggedSubmission },
};

const SUBMITTED: Examples = {
  queued: { summary: 'A person will look at it', value: story.queued },
  escalated: { summary: 'A supervisor will look at it', value: story.escalated },
  auto_approved: { summary: 'Confident enough: the decision is here already', value: story.autoApproved },
};

/** By operation id. */
export const OPERATIONS: Record<string, Operation> = {
  submitItem: {
    endpoint: submitItem,
    tag: 'Items',
    requests: SUBMISSIONS,
    answer: {
      description: 'The item is stored, and this is where it went.',
      examples: { ...SUBMITTED, approved: { summary: 'Decided while the request waited', value: story.approved } },
      headers: { ...HEADER.replayed, ...HEADER.waited },
    },
  },
  submitBatch: {
    endpoint: submitBatch,
    tag: 'Items',
    requests: { three: { summary: 'Three items, one of them for another project', value: story.batch } },
    answer: {
      description: 'One result for each item, in the order of the request.',
      examples: { three: { summary: 'Two are stored, one is refused', value: { results: story.batchResults } } },
      headers: HEADER.replayed,
    },
  },
  readItem: {
    endpoint: readItem,
    tag: 'Items',
    answer: {
      description: 'The item as it is now.',
      examples: {
        decided: { summary: 'Edited and approved', value: story.decidedItem },
        waiting: { summary: 'Escalated, not decided yet', value: story.escalatedItem },
      },
    },
  },
  listItems: {
    endpoint: listItems,
    tag: 'Items',
    answer: {
      description: 'One page, newest first.',
      examples: {
        last: {
          summary: 'The last page',
          value: { data: [story.escalatedItem, story.decidedItem], has_more: false, next_cursor: null },
        },
      },
    },
  },
  listEvents: {
    endpoint: listEvents,
    tag: 'Events',
    answer: {
      description: 'One page of final decisions, oldest first.',
      examples: {
        one: { summary: 'One decision', value: { data: [story.event], has_more: false, next_cursor: 'MTg0Mg' } },
        none: { summary: 'Nothing new', value: { data: [], has_more: false, next_cursor: 'MTg0Mg' } },
      },
    },
  },
  startRegression: {
    endpoint: startRegression,
    tag: 'Regressions',
    requests: {
      cluster: { summary: 'Over one cluster of reasons', value: rerun.start },
      all: { summary: 'Over all edits', value: { action: 'edit' } },
    },
    answer: {
      description: 'The run is begun: its cases are there to be read and answered.',
      examples: { begun: { summary: 'Nothing answered yet', value: rerun.begun } },
      headers: HEADER.replayed,
    },
  },
  readRegression: {
    endpoint: readRegression,
    tag: 'Regressions',
    answer: {
      description: 'The run as it is now.',
      examples: { ended: { summary: 'All are answered', value: rerun.ended } },
    },
  },
  listCases: {
    endpoint: listCases,
    tag: 'Regressions',
    answer: {
      description: 'One page of cases.',
      examples: {
        last: { summary: 'The last page', value: { data: [rerun.aCase], has_more: false, next_cursor: null } },
      },
    },
  },
  answerCases: {
    endpoint: answerCases,
    tag: 'Regressions',
    requests: { two: { summary: 'Two answers, one for a case that is not there', value: rerun.answers } },
    answer: {
      description: 'One result for each answer, in the order of the request.',
      examples: { two: { summary: 'One is judged, one is refused', value: { results: rerun.results } } },
    },
  },
  receiveInbound: {
    endpoint: receiveInbound,
    tag: 'Inbound',
    requests: SUBMISSIONS,
    answer: { description: 'The item is stored, and this is where it went.', examples: SUBMITTED },
    otherAnswers: {
      200: {
        description: 'A repeat: nothing was submitted a second time, and this is the item as it is now.',
        examples: SUBMITTED,
        headers: HEADER.replayed,
      },
    },
  },
  readOpenApi: {
    endpoint: readOpenApi,
    tag: 'Description',
    answer: {
      description: 'An OpenAPI 3.1 document.',
      examples: {
        beginning: {
          summary: 'How it begins',
          value: { openapi: '3.1.0', info: { title: 'Countersign', version: '1' }, paths: {} },
        },
      },
    },
  },
};
