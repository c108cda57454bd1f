// Ten schemas as pipelines send them, each with a suggestion in a spelling that no printer would choose.

export interface RealSchema {
  readonly name: string;
  readonly schema: unknown;
  /** JSON text; one that satisfies the schema. */
  readonly suggestion: string;
}

const money = { type: 'number', minimum: 0, multipleOf: 0.01 };
const line = {
  type: 'object',
  title: 'Line',
  required: ['description', 'quantity', 'unit_price'],
  properties: {
    description: { type: 'string', minLength: 1 },
    quantity: { type: 'integer', minimum: 1 },
    unit_price: money,
  },
  additionalProperties: false,
};

const COUNTRIES = [
  'AT',
  'BE',
  'CH',
  'CZ',
  'DE',
  'DK',
  'ES',
  'FI',
  'FR',
  'GB',
  'IE',
  'IT',
  'NL',
  'NO',
  'PL',
  'PT',
  'SE',
];

export const REAL_SCHEMAS: readonly RealSchema[] = [
  {
    name: 'an invoice',
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Invoice',
      type: 'object',
      required: ['number', 'issued', 'currency', 'total', 'paid'],
      properties: {
        number: { type: 'string', title: 'Invoice number', pattern: '^INV-\\d+$', examples: ['INV-2041'] },
        issued: { type: 'string', format: 'date', title: 'Issued on' },
        currency: { enum: ['EUR', 'USD', 'GBP'], title: 'Currency' },
        total: { ...money, title: 'Total', description: 'With tax.' },
        paid: { type: 'boolean', title: 'Paid' },
        notes: { type: 'string', title: 'Notes', maxLength: 2000 },
      },
    },
    suggestion:
      '{ "number" : "INV-2041",\n "issued":"2026-03-01", "currency":"EUR", "total": 1250.00 ,"paid":false,"notes":"Due in 30 days.\\u000aThank you." }',
  },
  {
    name: 'an address',
    schema: {
      type: 'object',
      title: 'Address',
      required: ['street', 'city', 'country'],
      properties: {
        street: { type: 'string', minLength: 1 },
        extra: { type: ['string', 'null'], title: 'Second line' },
        city: { type: 'string', minLength: 1 },
        postcode: { type: 'string', maxLength: 10 },
        country: { enum: COUNTRIES, title: 'Country' },
      },
      additionalProperties: false,
    },
    suggestion: '{"street":"Rue de la Gare 5","extra":null,"city":"Li\\u00e8ge","postcode":"4000","country":"BE"}',
  },
  {
    name: 'a refund call',
    schema: {
      type: 'object',
      title: 'Refund',
      description: 'Returns money to the customer.',
      required: ['order_id', 'amount', 'reason'],
      properties: {
        order_id: { type: 'string', readOnly: true, title: 'Order' },
        amount: { type: 'number', exclusiveMinimum: 0, maximum: 500, title: 'Amount' },
        reason: {
          title: 'Reason',
          oneOf: [
            { const: 'damaged', title: 'Arrived damaged' },
            { const: 'late', title: 'Arrived late' },
            { const: 'other', title: 'Something else' },
          ],
        },
        notify: { type: 'boolean', default: true, title: 'Tell the customer' },
      },
      additionalProperties: false,
    },
    suggestion: '{"order_id":"A-1009", "amount":49.90, "reason":"late"}',
  },
  {
    name: 'an OpenAI function',
    schema: {
      type: 'object',
      required: ['location', 'unit', 'days'],
      properties: {
        location: { type: 'string', description: 'City and country, e.g. Bogotá, Colombia' },
        unit: { type: ['string', 'null'], enum: ['celsius', 'fahrenheit', null], description: 'Units of temperature' },
        days: { type: 'integer', minimum: 1, maximum: 14 },
      },
      additionalProperties: false,
    },
    suggestion: '{"location":"Bogot\\u00E1, Colombia","unit":null,"days":3}',
  },
  {
    name: 'a FHIR fragment',
    schema: {
      $defs: {
        coding: {
          type: 'object',
          properties: {
            system: { type: 'string', format: 'uri' },
            code: { type: 'string' },
            display: { type: 'string' },
          },
          required: ['code'],
        },
        concept: {
          type: 'object',
          properties: { coding: { type: 'array', items: { $ref: '#/$defs/coding' } }, text: { type: 'string' } },
        },
        quantity: {
          type: 'object',
          properties: { value: { type: 'number' }, unit: { type: 'string' } },
          required: ['value', 'unit'],
        },
      },
      type: 'object',
      title: 'Observation',
      required: ['resourceType', 'status', 'code'],
      properties: {
        resourceType: { const: 'Observation' },
        status: { enum: ['registered', 'preliminary', 'final', 'amended', 'cancelled'] },
        code: { $ref: '#/$defs/concept' },
        effectiveDateTime: { type: 'string', format: 'date-time' },
        valueQuantity: { $ref: '#/$defs/quantity' },
      },
    },
    suggestion:
      '{"resourceType":"Observation","status":"preliminary","code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"}],"text":"Heart rate"},"effectiveDateTime":"2026-02-03T08:15:00+01:00","valueQuantity":{"value":72.0,"unit":"beats/min"}}',
  },
  {
    name: 'a moderation verdict',
    schema: {
      type: 'object',
      required: ['verdict', 'reasons'],
      properties: {
        verdict: { enum: ['allow', 'limit', 'remove'], title: 'Verdict' },
        reasons: {
          type: 'array',
          title: 'Reasons',
          maxItems: 10,
          items: {
            type: 'object',
            required: ['policy', 'severity'],
            properties: {
              policy: { enum: ['spam', 'harassment', 'self-harm', 'violence', 'adult', 'other'] },
              severity: { type: 'integer', minimum: 1, maximum: 5 },
              quotes: { type: 'array', items: { type: 'string' } },
            },
          },
        },
      },
    },
    suggestion:
      '{"verdict":"limit","reasons":[ {"policy":"spam","severity":2,"quotes":["buy now","50% \\u20ac"]}, {"policy":"harassment","severity":4} ]}',
  },
  {
    name: 'a long enum',
    schema: {
      type: 'object',
      required: ['topic'],
      properties: {
        topic: { enum: Array.from({ length: 120 }, (_, at) => `topic-${String(at + 1).padStart(3, '0')}`) },
        score: { type: 'number', minimum: 0, maximum: 1 },
      },
    },
    suggestion: '{"topic":"topic-017","score":0.10}',
  },
  {
    name: 'a recursive tree',
    schema: {
      $defs: {
        node: {
          type: 'object',
          title: 'Category',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1 },
            children: { type: 'array', title: 'Children', items: { $ref: '#/$defs/node' } },
          },
          additionalProperties: false,
        },
      },
      $ref: '#/$defs/node',
    },
    suggestion:
      '{"name":"Home","children":[{"name":"Kitchen","children":[{"name":"Knives","children":[]}]},{"name":"Garden"}]}',
  },
  {
    name: 'a table of line items',
    schema: {
      type: 'object',
      required: ['lines'],
      properties: {
        lines: { type: 'array', minItems: 1, items: line },
        discounts: { type: 'array', items: money },
      },
      additionalProperties: false,
    },
    suggestion:
      '{"lines":[{"description":"Chair","quantity":4,"unit_price":89.00},{"description":"Table","quantity":1,"unit_price":249.50}],"discounts":[10.0,2.50]}',
  },
  {
    name: 'a union of three shapes',
    schema: {
      type: 'object',
      required: ['payment'],
      properties: {
        payment: {
          title: 'Payment',
          oneOf: [
            {
              title: 'Card',
              type: 'object',
              required: ['method', 'last4'],
              properties: { method: { const: 'card' }, last4: { type: 'string', pattern: '^\\d{4}$' } },
            },
            {
              type: 'object',
              required: ['method', 'iban'],
              properties: { method: { const: 'transfer' }, iban: { type: 'string', minLength: 15 } },
            },
            { title: 'Voucher code', type: 'string', minLength: 4 },
          ],
        },
      },
    },
    suggestion: '{"payment":{"method":"card","last4":"4242"}}',
  },
];
