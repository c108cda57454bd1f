// The texts of the demo’s history: what people wrote to the made-up shop Brindlemoor, and what models answered.
import type { DemoArea } from './people.ts';

/** Why a suggestion is wrong. */
export type Fault = keyof typeof REASONS;

export interface Topic {
  /** What was written, in several words. `{name}`, `{order}`, `{thing}`, `{days}` and `{amount}` are replaced. */
  readonly asks: readonly string[];
  /** The right answer. */
  readonly right: string;
  /** A wrong one, and why it is wrong. */
  readonly wrong: string;
  readonly fault: Fault;
  readonly flags?: readonly string[];
  /** How often it is written, compared with others. */
  readonly weight?: number;
}

/** How people word each reason: the first is the most frequent. */
export const REASONS = {
  window: [
    'Old return policy: it is 30 days',
    'old return policy, it is 30 days',
    'Old return policy, should be 30 days',
  ],
  invented: ['Invents a feature', 'invents a feature we do not have', 'Invents a feature of the Planner'],
  price: ['Wrong amount', 'wrong amount in EUR', 'Wrong amount, see order'],
  secret: ['Asks for a password', 'asks for the password'],
  tone: ['Wrong tone', 'wrong tone, blames the customer'],
  incomplete: ['Incomplete', 'incomplete, second question is not answered'],
  liability: ['Admits liability', 'admits liability without the legal team'],
  delivery: ['Wrong delivery time', 'wrong delivery times'],
  fee: ['Return postage not deducted', 'return postage was not deducted', 'Return postage is not deducted here'],
  twice: ['Already refunded', 'already refunded last week'],
  proof: ['No photo of the damage', 'no photo of damage attached'],
  sarcasm: ['Sarcasm read as an insult', 'sarcasm read as insult'],
  spam: ['Advertising missed', 'advertising was missed'],
  context: ['Quotes the rule, does not break it', 'only quotes the rule, does not break it'],
} as const;

/** The reason from the project's list that fits each fault. */
export const LISTED_REASONS: Readonly<Record<Fault, string>> = {
  ...{ window: 'Wrong fact', invented: 'Wrong fact', delivery: 'Wrong fact', price: 'Wrong fact', twice: 'Wrong fact' },
  ...{ secret: 'Policy', liability: 'Policy', fee: 'Policy', proof: 'Policy' },
  ...{ tone: 'Wrong tone', incomplete: 'Incomplete' },
  ...{ sarcasm: 'Misread post', spam: 'Advertising missed', context: 'Misread post' },
};

export const TOPICS: Readonly<Record<DemoArea, readonly Topic[]>> = {
  answers: [
    {
      asks: [
        'I bought the {thing} {days} days ago and never used it. Can I send it back?',
        'Can I still return order {order}? The {thing} came {days} days ago, the box is closed.',
        'The {thing} does not fit my room. It arrived {days} days ago. How do I return it?',
      ],
      right:
        'Hi {name}, unused goods can go back within 30 days of delivery. Please open My orders, choose Return and print the label. Return postage is 4.90 EUR, and we refund you within 5 working days after it reaches us.',
      wrong:
        'Hi {name}, unfortunately returns are only possible within 14 days of delivery, so we cannot take the {thing} back.',
      fault: 'window',
      weight: 4,
    },
    {
      asks: [
        'Where is order {order}? The tracking page has not moved for {days} days.',
        'My parcel {order} is {days} days late. What happens now?',
      ],
      right:
        'Hi {name}, I am sorry about the wait. I have asked the carrier to trace order {order} and will write to you tomorrow. If it is lost we send the {thing} again at no cost.',
      wrong: 'Hi {name}, order {order} will arrive tomorrow before 9:00. There is nothing you need to do.',
      fault: 'delivery',
      weight: 3,
    },
    {
      asks: ['Can I export my Planner board as PDF?', 'I need the Planner board of our team as a PDF for a meeting.'],
      right: 'Hi {name}, there is no PDF export. You can export the board as CSV or iCal in the board menu.',
      wrong: 'Hi {name}, yes: open the board menu, choose Export and select PDF.',
      fault: 'invented',
      weight: 2,
    },
    {
      asks: [
        'Does the Planner work offline? I travel {days} days this month.',
        'Can I use Planner on a train without network?',
      ],
      right:
        'Hi {name}, Planner needs a connection, there is no offline mode. An iCal export helps to read your dates on the way.',
      wrong: 'Hi {name}, yes, switch on Offline mode under Settings, and your changes are sent later.',
      fault: 'invented',
      weight: 2,
    },
    {
      asks: [
        'We are {days} people. What does the Team plan cost per month?',
        'How much is Planner Team for {days} members?',
      ],
      right: 'Hi {name}, Team costs 9 EUR per member and month. You can change the number of members at any time.',
      wrong: 'Hi {name}, Team costs 19 EUR per month, for as many members as you like.',
      fault: 'price',
      weight: 2,
    },
    {
      asks: [
        'I cannot log in, it says that my password is wrong.',
        'The reset mail for my password never arrives. What now?',
      ],
      right:
        'Hi {name}, please look in your spam folder first. If it is not there, tell me the address of your account and I send the reset mail again.',
      wrong: 'Hi {name}, no problem. Please send me your present password and I will set it again for you.',
      fault: 'secret',
      flags: ['pii'],
    },
    {
      asks: [
        'The {thing} arrived scratched. And can I pick up the new one myself?',
        'My {thing} came with a dent, and the invoice is missing too.',
      ],
      right:
        'Hi {name}, I am sorry about that. A photo of the damage is enough and we send a new {thing} at no cost. It comes by parcel, we have no shop to pick it up, and the invoice is in My orders.',
      wrong: 'Hi {name}, I am sorry about that. A photo of the damage is enough and we send a new {thing}.',
      fault: 'incomplete',
      weight: 2,
    },
    {
      asks: [
        'Your driver left the {thing} in the rain. This is the second time!',
        'Payment failed three times, your site is a mess.',
      ],
      right:
        'Hi {name}, I am sorry, that should not have happened. I have taken this up with the team and will write to you today about what we do.',
      wrong:
        'Hi {name}, as you can read in our terms this is not our responsibility. Please be more careful when you order.',
      fault: 'tone',
      weight: 2,
    },
    {
      asks: [
        'The {thing} burnt my table. I want you to pay {amount} EUR.',
        'If I do not get {amount} EUR by Friday you hear from my lawyer.',
      ],
      right:
        'Hi {name}, I have read your message and passed it to the person who decides such cases. You get an answer within two working days.',
      wrong: 'Hi {name}, we accept full responsibility and will pay the {amount} EUR.',
      fault: 'liability',
      flags: ['legal'],
    },
    {
      asks: ['What does express delivery cost?', 'Until when do I have to order for delivery on the next day?'],
      right: 'Hi {name}, express costs 9.90 EUR and arrives the next working day when you order before 14:00.',
      wrong: 'Hi {name}, express is free from 60 EUR and arrives the same evening.',
      fault: 'delivery',
      weight: 2,
    },
  ],
  refunds: [
    {
      asks: [
        'The {thing} is fine but too big. I sent it back unused.',
        'Returned the {thing} of order {order}, please refund.',
      ],
      right: 'Refund {amount} EUR minus 4.90 EUR return postage to the card of order {order}.',
      wrong: 'Refund {amount} EUR to the card of order {order}.',
      fault: 'fee',
      weight: 4,
    },
    {
      asks: ['The {thing} arrived in pieces.', 'There is a crack in the {thing}, photo follows.'],
      right: 'Ask the customer for a photo of the damage before anything is paid.',
      wrong: 'Refund {amount} EUR to the card of order {order}: damaged on arrival.',
      fault: 'proof',
      weight: 2,
    },
    {
      asks: ['I was charged twice for order {order}.', 'Two payments of {amount} EUR for the same {thing}.'],
      right: 'Refund nothing: the second payment was released by the bank, the account shows one.',
      wrong: 'Refund {amount} EUR to the card of order {order}: double charge.',
      fault: 'twice',
      weight: 2,
    },
    {
      asks: [
        'Twelve chairs of order {order} go back, the office moved.',
        'Please take back the whole delivery of {amount} EUR.',
      ],
      right: 'Pass to the team lead: the amount is above 500 EUR.',
      wrong: 'Refund 1,240 EUR to the card of order {order}.',
      fault: 'price',
      flags: ['high_value'],
    },
    {
      asks: [
        'Express was three days late, I want the fee back.',
        'I paid for express and it came with the normal post.',
      ],
      right: 'Refund 9.90 EUR express fee to the card of order {order}.',
      wrong: 'Refund {amount} EUR to the card of order {order}: late delivery.',
      fault: 'price',
      weight: 2,
    },
  ],
  posts: [
    {
      asks: [
        'Great, another update that fixes what nobody asked for. You people are heroes.',
        'Oh wonderful, the {thing} wobbles in five new directions.',
      ],
      right: 'keep: criticism, no insult',
      wrong: 'hide: insult against staff',
      fault: 'sarcasm',
      weight: 3,
    },
    {
      asks: [
        'Look at my profile for a {thing} at half the price, only this week!',
        'I stopped paying for Planner, write to me and I show you how {days} days cost nothing.',
      ],
      right: 'remove: advertising',
      wrong: 'keep: recommendation',
      fault: 'spam',
      weight: 3,
    },
    {
      asks: [
        'The rules say "no full card numbers in posts", so please delete yours, {name}.',
        '"Never post your order number" is rule 4, and you posted {order}.',
      ],
      right: 'keep: reminder of the rules',
      wrong: 'hide: personal data',
      fault: 'context',
      weight: 2,
    },
    {
      asks: [
        'How do you clean the {thing}? Mine is {days} months old.',
        'Which bulb do you use in the {thing}?',
        'Has anybody put the {thing} on a balcony?',
      ],
      right: 'keep: question',
      wrong: 'remove: off topic',
      fault: 'context',
      weight: 4,
    },
  ],
};

/** Made-up first names, orders and goods. */
export const NAMES = [
  'Ines',
  'Milan',
  'Petra',
  'Jonas',
  'Amara',
  'Sofia',
  'Ravi',
  'Noor',
  'Dario',
  'Freya',
  'Hugo',
  'Elodie',
];
export const THINGS = [
  'Heron lamp',
  'Otter reading lamp',
  'wool rug',
  'Badger planter',
  'kettle',
  'oak shelf',
  'green cushion',
  'teapot',
];
