/**
 * Gentle clients: they wait, ask seldom and remember answers.
 */
package patience;
